// Counting cases and printing what failed.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <boost/json.hpp>

#include "common/case_file.hpp"
#include "oracle/differences.hpp"
#include "oracle/rank_differences.hpp"

namespace replay {

struct Counts {
    int cases = 0, passed = 0, failed = 0, unsupported = 0;
    int as_listed = 0; ///< of those that passed: what the list of differences says, not what the reference has
    Counts& operator+=(const Counts& o) {
        cases += o.cases, passed += o.passed, failed += o.failed, unsupported += o.unsupported;
        as_listed += o.as_listed;
        return *this;
    }
};
/// One aspect of the op cases: forward, backward, ...
struct Tally {
    int passed = 0, total = 0;
    void add(bool ok) { passed += ok, ++total; }
};

struct Options {
    std::string filter, json_file, data_file, differences_file;
    reel::Device device = reel::kCPU;
    bool verbose = false;
    int ranks = 0; ///< cases of several ranks are run with so many; 0: not at all
    MemoryLayout layout = MemoryLayout::contiguous;
};
/// The kinds of cases that need several ranks.
inline constexpr const char* kinds_of_ranks[] = {"collectives", "sampler", "distributed", "faults"};

/// Everything that a run finds out.
class Report {
public:
    explicit Report(Options given) : options(std::move(given)) {
        if (options.differences_file.empty()) return;
        differences = Differences(options.differences_file, options.device.is_cpu() ? "cpu" : "cuda");
        rank_differences = RankDifferences(options.differences_file);
    }
    Options options;
    Differences differences;
    RankDifferences rank_differences;
    std::map<std::string, std::map<std::string, Counts>> kinds; ///< "ops", "modules", "norms", ... -> name -> counts
    Tally forward, inplace, backward, double_backward, jvp, refused, repr;
    int unsupported_op_cases = 0, stale_entries = 0;
    int drawn_elsewhere = 0;            ///< cases whose values a device draws otherwise: only places were compared
    std::map<std::string, int> missing; ///< what the device said it has no kernel for -> cases
    std::size_t entries_for_other_inputs = 0; ///< of the list of differences

    /// Prints a failing case.
    void failure(const std::string& file, std::size_t index, const std::string& what) const;
    /// Prints and counts an entry of the list of differences that is not true any more.
    void stale_entry(const std::string& what);
    int print_totals() const; ///< the exit status
    void write_json() const;
    Counts sum(const std::string& kind) const;

private:
    void print_missing() const;
};

/// One of these per folder of cases, in the file that knows their format: `static const FilesIn norms("norms", run);`.
/// Files in folders that have none are passed over.
class FilesIn {
public:
    using Run = void (*)(const CaseFile& file, Report& report);
    FilesIn(const char* folder, Run run) { runners()[folder] = run; }
    /// Null when there is none.
    static Run runner(const std::string& folder) {
        const auto it = runners().find(folder);
        return it == runners().end() ? nullptr : it->second;
    }

private:
    static std::map<std::string, Run>& runners() {
        static std::map<std::string, Run> table;
        return table;
    }
};

} // namespace replay
