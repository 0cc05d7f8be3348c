// One step of the sums over alignments, per instruction set.
#pragma once

#include <cstdint>

namespace reel::cpu {

struct CtcSteps {
    /// to[s] = own[s] + log(exp(from[s]) + exp(from[s - 1]) + exp(from[s - 2] + skip[s])) for s < count; `from` has two
    /// elements before it. Sums of nothing are minus infinity.
    void (*step)(const double* from, const double* skip, const double* own, std::int64_t count, double* to) = nullptr;
    /// to[i] = exp(x[i]) for i < count.
    void (*exponentials)(const double* x, std::int64_t count, double* to) = nullptr;
};
inline constinit CtcSteps ctc_steps{};

} // namespace reel::cpu
