// Random bits from a counter: Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", 2011). The bits of a counter do not depend on the grid, the device or the order of threads.
#pragma once

#include <cstdint>

#include "launch.hpp"
#include "random/source.hpp"

namespace reel::cuda {

/// Two numbers of 64 bits for each counter.
struct RandomPair {
    std::uint64_t first, second;
};

/// Numbers of one draw: a counter each, and for what takes more than a counter gives, further stretches of it.
struct Philox {
    std::uint64_t key, first;

    explicit __device__ Philox(const RandomSource& source)
        : key(source.words ? source.words[0] : source.seed),
          first(source.words ? source.words[1] + source.first : source.first) {}
    __device__ RandomPair operator()(std::uint64_t counter, std::uint64_t stretch = 0) const {
        counter += first;
        std::uint32_t x[4] = {std::uint32_t(counter), std::uint32_t(counter >> 32), std::uint32_t(stretch),
                              std::uint32_t(stretch >> 32)};
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

/// One number after the other, for what does not know how many it takes.
class PhiloxSequence {
public:
    __device__ PhiloxSequence(const Philox& philox, std::int64_t counter)
        : philox_(philox), counter_(std::uint64_t(counter)) {}
    __device__ double uniform_double() {
        if (second_ready_) {
            second_ready_ = false;
            return double(pair_.second >> 11) * (1. / 9007199254740992.);
        }
        pair_ = philox_(counter_, stretch_++);
        second_ready_ = true;
        return double(pair_.first >> 11) * (1. / 9007199254740992.);
    }

private:
    const Philox& philox_;
    std::uint64_t counter_, stretch_ = 0;
    RandomPair pair_{0, 0};
    bool second_ready_ = false;
};

/// Uniform in [0, 1): 53 bits.
__device__ inline double uniform_double(std::uint64_t bits) { return double(bits >> 11) * (1. / 9007199254740992.); }
/// Uniform in [0, 1): 24 bits.
__device__ inline float uniform_float(std::uint64_t bits) { return float(bits >> 40) * (1.f / 16777216.f); }

} // namespace reel::cuda
