// Counting cases and printing what failed.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <boost/json.hpp>

#include "common/case_file.hpp"

namespace replay {

struct Counts {
    int cases = 0, passed = 0, failed = 0, unsupported = 0;
    Counts& operator+=(const Counts& o) {
        cases += o.cases, passed += o.passed, failed += o.failed, unsupported += o.unsupported;
        return *this;
    }
};
/// One aspect of the op cases: forward, backward, ...
struct Tally {
    int passed = 0, total = 0;
    void add(bool ok) { passed += ok, ++total; }
};

struct Options {
    std::string filter, json_file, device = "cpu", data_file;
    bool verbose = false;
    MemoryLayout layout = MemoryLayout::contiguous;
};

/// Everything that a run finds out.
class Report {
public:
    explicit Report(Options options) : options(std::move(options)) {}
    Options options;
    std::map<std::string, std::map<std::string, Counts>> kinds; ///< "ops", "modules", ... -> name -> counts
    Tally forward, inplace, backward, double_backward, jvp, refused, repr;
    int unsupported_op_cases = 0;

    /// Prints a failing case.
    void failure(const std::string& file, std::size_t index, const std::string& what) const;
    int print_totals() const; ///< the exit status
    void write_json() const;
    Counts sum(const std::string& kind) const;
};

void run_ops_file(const CaseFile& file, Report& report);
void run_modules_file(const CaseFile& file, Report& report);
void run_optim_file(const CaseFile& file, Report& report);
void run_scheduler_file(const CaseFile& file, Report& report);
void run_random_file(const CaseFile& file, Report& report);
void run_training_file(const CaseFile& file, Report& report);

} // namespace replay
