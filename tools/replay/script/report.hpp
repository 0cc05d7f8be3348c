// Counting the cases of scripts and printing what failed.
#pragma once

#include <map>
#include <string>

#include <reel/script/function.hpp>

namespace replay::script {

struct Options {
    std::string filter, json_file, real_folder;
    bool verbose = false;
    reel::jit::RunLimits limits;
};

struct Counts {
    int cases = 0, passed = 0, failed = 0, unsupported = 0;
};

/// Everything that a run finds out.
class Report {
public:
    explicit Report(Options given) : options(std::move(given)) {}
    const Options options;
    std::map<std::string, Counts> kinds;                       ///< `archives`, `define`, `refused`, ...
    std::map<std::string, std::map<std::string, int>> tallies; ///< `code` -> `exact`, `different`; ...

    void tally(const std::string& what, const std::string& outcome) { ++tallies[what][outcome]; }
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
    void unsupported() { unsupported_ = true; }
    bool failed() const { return failures_ > 0; }
    Report& report() { return report_; }

private:
    Report& report_;
    std::string kind_, name_;
    int failures_ = 0;
    bool unsupported_ = false;
};

} // namespace replay::script
