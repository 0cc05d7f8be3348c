// Time on the board.
#include "op_fuzz/board.hpp"

namespace op_fuzz {

std::int64_t milliseconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return std::int64_t(t.tv_sec) * 1000 + t.tv_nsec / 1000000;
}

bool is_overdue(const Desk& desk, pid_t process, std::int64_t limit) {
    if (!desk.busy) return false;
    clockid_t computing;
    const bool known = clock_getcpuclockid(process, &computing) == 0;
    return (known && milliseconds(computing) - desk.work > limit) ||
           milliseconds(CLOCK_MONOTONIC) - desk.since > 10 * limit;
}

} // namespace op_fuzz
