// The process that makes calls.
#pragma once

#include <string>
#include <vector>

#include "op_fuzz/board.hpp"

namespace op_fuzz {

struct Options {
    double seconds = 20;
    std::uint64_t rounds = 0; ///< batches of each op; 0: as many as the time allows
    std::uint64_t seed = 1;
    std::string filter, op;
    std::int64_t only = -1; ///< the one call to make, of `op`
    int jobs = 0;           ///< processes; 0: one per core
    int limit_s = 10;       ///< for one stage of a call
    int memory_mib = 256;   ///< beyond what a worker starts with
    int show = 2;           ///< findings printed per op, stage and kind
};

/// Makes batches until told to stop; writes findings to `out`, one line each. `resume_at` is the call to go on with in
/// the desk's batch, 0 to take a new one.
void work(const Options& options, const std::vector<std::string>& ops, Board& board, Desk& desk, int out,
          std::uint64_t resume_at);

/// Makes the one call that the options name, and tells what came of each stage.
void work_once(const Options& options, Desk& desk);

} // namespace op_fuzz
