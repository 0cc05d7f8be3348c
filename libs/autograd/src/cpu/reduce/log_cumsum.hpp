// Logarithms of running sums of exponentials, a row of float32.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Set for the instruction set.
struct LogCumsum {
    /// How much of a row one call takes at most.
    static constexpr std::int64_t block = 256;
    /// A row goes on: `out[i]` = log of `sum` e^`most` and of all e^`x[j]` with j <= i; both are brought up to date. In
    /// double precision, with the largest exponent so far at zero. Returns false, and does nothing, where numbers are
    /// not finite or lie so far apart that the least of these would vanish.
    bool (*go_on)(const float* x, float* out, std::int64_t n, double& most, double& sum) = nullptr;
};
inline constinit LogCumsum log_cumsum{};

} // namespace reel::cpu
