// Counting the cases of scripts and printing what failed.
#pragma once

#include <map>
#include <string>

#include <reel/script/function.hpp>

#include "script/differences.hpp"

namespace replay::script {

struct Options {
    std::string filter, json_file, real_folder, differences_file, exports_folder;
    bool verbose = false;
    reel::jit::RunLimits limits;
};

struct Counts {
    int cases = 0, passed = 0, failed = 0, unsupported = 0;
    int as_listed = 0; ///< of those that passed: treated otherwise than by the reference, as differences.json says
};

/// Everything that a run finds out.
class Report {
public:
    explicit Report(Options given);
    const Options options;
    Differences differences;
    std::map<std::string, Counts> kinds;                       ///< `archives`, `define`, `refused`, ...
    std::map<std::string, std::map<std::string, int>> tallies; ///< `code` -> `exact`, `different`; ...
    int stale_entries = 0;

    void tally(const std::string& what, const std::string& outcome) { ++tallies[what][outcome]; }
    /// Says which entries of the list are no longer needed; each is a failure.
    void check_list();
    int print_totals() const; ///< the exit status
    void write_json() const;
};

/// One case: it passes when nothing is said against it.
class Case {
public:
    Case(Report& report, std::string kind, std::string name);
    ~Case();
    Case(const Case&) = delete;
    /// Prints a line; `detail` is cut to one short line unless the run is verbose.
    void fail(const std::string& where, const std::string& detail);
    void check(bool ok, const std::string& where, const std::string& detail) {
        if (!ok) fail(where, detail);
    }
    /// `got` against `expected`, with the first line that differs.
    void check_text(const std::string& got, const std::string& expected, const std::string& where);
    /// A difference from the reference in what the text `source` is taken for: fails unless it is listed.
    void check_listed(const std::string& source, bool differs, const std::string& where, const std::string& detail);
    void unsupported() { unsupported_ = true; }
    bool failed() const { return failures_ > 0; }
    Report& report() { return report_; }

private:
    Report& report_;
    std::string kind_, name_;
    int failures_ = 0;
    bool unsupported_ = false, as_listed_ = false;
};

} // namespace replay::script
