// Random bits from a counter: Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", 2011). The bits of a counter do not depend on the grid, the device or the order of threads.
#pragma once

#include <cstdint>

#include "launch.hpp"

namespace reel::cuda {

/// Two numbers of 64 bits for each counter.
struct RandomPair {
    std::uint64_t first, second;
};

struct Philox {
    std::uint64_t key;

    __device__ RandomPair operator()(std::uint64_t counter) const {
        std::uint32_t x[4] = {std::uint32_t(counter), std::uint32_t(counter >> 32), 0, 0};
        std::uint32_t k[2] = {std::uint32_t(key), std::uint32_t(key >> 32)};
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t a = std::uint64_t(0xD2511F53u) * x[0], b = std::uint64_t(0xCD9E8D57u) * x[2];
            const std::uint32_t next[4] = {std::uint32_t(b >> 32) ^ x[1] ^ k[0], std::uint32_t(b),
                                           std::uint32_t(a >> 32) ^ x[3] ^ k[1], std::uint32_t(a)};
            for (int i = 0; i < 4; ++i) x[i] = next[i];
            k[0] += 0x9E3779B9u;
            k[1] += 0xBB67AE85u;
        }
        return {std::uint64_t(x[1]) << 32 | x[0], std::uint64_t(x[3]) << 32 | x[2]};
    }
};

/// Uniform in [0, 1): 53 bits.
__device__ inline double uniform_double(std::uint64_t bits) { return double(bits >> 11) * (1. / 9007199254740992.); }
/// Uniform in [0, 1): 24 bits.
__device__ inline float uniform_float(std::uint64_t bits) { return float(bits >> 40) * (1.f / 16777216.f); }

} // namespace reel::cuda
