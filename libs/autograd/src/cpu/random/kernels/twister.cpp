// Words of state depend on others at least 227 places away: the loops run by vectors.
#include "cpu/random/twister.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

constexpr int n = 624, m = 397;

inline std::uint32_t twisted(std::uint32_t u, std::uint32_t v, std::uint32_t far) {
    return far ^ (((u & 0x80000000u) | (v & 0x7fffffffu)) >> 1) ^ ((0u - (v & 1u)) & 0x9908b0dfu);
}
void refill(std::uint32_t* p) {
    for (int j = 0; j < n - m; ++j) p[j] = twisted(p[j], p[j + 1], p[j + m]);
        // A word that is written is read again 227 words later; no vector is that long.
#pragma GCC ivdep
    for (int j = n - m; j < n - 1; ++j) p[j] = twisted(p[j], p[j + 1], p[j + m - n]);
    p[n - 1] = twisted(p[n - 1], p[0], p[m - 1]);
}
void temper(std::uint32_t* __restrict to, const std::uint32_t* __restrict state, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::uint32_t y = state[i];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        to[i] = y ^ (y >> 18);
    }
}

} // namespace

void register_twister() { twister_kernels = {&refill, &temper}; }

} // namespace reel::cpu::REEL_ISA
