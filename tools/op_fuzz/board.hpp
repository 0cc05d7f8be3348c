// Memory that the supervisor and its workers share.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "op_fuzz/attempt.hpp"

namespace op_fuzz {

/// Calls of one op that a worker makes in a row.
constexpr std::uint64_t batch_size = 8;

/// What one worker is doing, so that its end can be told.
struct Desk {
    std::atomic<std::uint64_t> batch, call; ///< `call` counts within the op; the batch goes on behind it
    std::atomic<int> stage;
    std::atomic<bool> busy, endless;       ///< inside a call; with an operand of astronomic size
    std::atomic<std::int64_t> since, work; ///< when the stage began, in milliseconds: by the clock and of computing
    char text[4096];                       ///< the call
};

struct Board {
    static constexpr int most_workers = 64;
    std::atomic<std::uint64_t> next_batch;
    std::atomic<bool> stop;
    std::atomic<std::uint64_t> calls;
    std::atomic<std::uint64_t> counts[stages][outcomes];
    Desk desks[most_workers];
};

/// Milliseconds of a clock, in all processes the same where it is one of wall time.
std::int64_t milliseconds(clockid_t clock);
/// Whether the process has spent `limit` milliseconds computing since the stage began, or ten times that waiting.
bool is_overdue(const Desk& desk, pid_t process, std::int64_t limit);

} // namespace op_fuzz
