#include "transport/shared_bell.hpp"

#include <algorithm>
#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace reel::distributed::detail {

namespace {
/// Not the private kind: the word is of several processes.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* limit) noexcept {
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, limit, nullptr, 0);
}

void pause_a_little() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}
} // namespace

void SharedBell::ring() noexcept {
    rung_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) futex(rung_, FUTEX_WAKE, INT_MAX, nullptr);
}

void SharedBell::sleep(std::uint32_t heard, Deadline deadline) noexcept {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
    if (left <= 0) return;
    constexpr std::int64_t second = 1'000'000'000;
    const std::int64_t most = std::min(left, 60 * second);
    const timespec limit{time_t(most / second), long(most % second)};
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    futex(rung_, FUTEX_WAIT, heard, &limit); // returns at once when it has rung since
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

bool SharedBell::spin(std::uint32_t heard, std::chrono::microseconds most) const noexcept {
    const Deadline end = Clock::now() + most;
    do {
        for (int i = 0; i < 64; ++i) {
            if (rung() != heard) return true;
            pause_a_little();
        }
    } while (Clock::now() < end);
    return false;
}

} // namespace reel::distributed::detail
