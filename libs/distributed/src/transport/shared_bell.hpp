// Waking threads of another process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <reel/distributed/detail/mailbox.hpp>

namespace reel::distributed::detail {

/// Lies in memory that processes share, and is one process's: it rings when something has come for it. Who waits asks
/// first how often it has rung, then looks whether there is anything, and sleeps from that number on: nothing is
/// missed.
class SharedBell {
public:
    std::uint32_t rung() const noexcept { return rung_.load(std::memory_order_seq_cst); }
    /// Wakes all who sleep; a system call only when somebody does.
    void ring() noexcept;
    /// Until it rings, unless it has since `heard`; at the deadline, or now and then for no reason.
    void sleep(std::uint32_t heard, Deadline deadline) noexcept;
    /// The same without giving the core up; false when it did not ring meanwhile.
    bool spin(std::uint32_t heard, std::chrono::microseconds most) const noexcept;

private:
    std::atomic<std::uint32_t> rung_ = 0, sleepers_ = 0;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(SharedBell) == 8);

} // namespace reel::distributed::detail
