// What each rank noted down, on the rank that writes the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "task.hpp"

namespace ranks {

/// Of one rank.
struct Record {
    std::vector<double> losses, seconds; ///< by step
    double parameter_bytes = 0, gradient_bytes = 0, state_bytes = 0;
};
/// Notes what `task` holds in memory.
void note_memory(Record& record, Task& task);
/// Every rank's record, on every rank.
std::vector<Record> gathered(const Record& own);
/// One page with the ranks side by side.
void write_report(const std::string& path, Task& task, std::int64_t first_step, const std::vector<Record>& records,
                  const std::pair<std::string, std::string>& verdict);

} // namespace ranks
