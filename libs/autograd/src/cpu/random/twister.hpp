// The Mersenne Twister, many numbers at a time.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Set for the instruction set.
struct TwisterKernels {
    void (*refill)(std::uint32_t* state) = nullptr; ///< the next 624 words of state in the place of these
    /// What words of state are drawn as.
    void (*temper)(std::uint32_t* to, const std::uint32_t* state, std::int64_t n) = nullptr;
};
inline constinit TwisterKernels twister_kernels{};

} // namespace reel::cpu
