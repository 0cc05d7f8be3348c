// Seeds of the parts of something that has one seed.
#pragma once

#include <cstdint>

namespace reel::rl::detail {

/// Seed of part `i`: the number i + 1 of the SplitMix64 sequence (Steele, Lea and Flood, 2014) that begins at `seed`,
/// without its sign bit.
constexpr std::int64_t seed_of_part(std::int64_t seed, std::int64_t i) {
    std::uint64_t z = std::uint64_t(seed) + (std::uint64_t(i) + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return std::int64_t((z ^ (z >> 31)) >> 1);
}
/// A seed out of the default generator.
std::int64_t drawn_seed();

} // namespace reel::rl::detail
