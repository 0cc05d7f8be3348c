// Sums so far of a row of float32, kept in float64.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Set for instruction sets of eight float64 at once: with fewer, several rows side by side take as long. out[i] = the
/// sum of in[0..i], or of in[i..n) backwards; in float64, rounded once.
struct RunningSums {
    void (*forwards)(const float* in, float* out, std::int64_t n) = nullptr;
    void (*backwards)(const float* in, float* out, std::int64_t n) = nullptr;
};
inline constinit RunningSums running_sums{};

} // namespace reel::cpu
