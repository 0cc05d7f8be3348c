// Elements by rank, without sorting: a block narrows a row down by the digits of keys that are ordered as the elements.
#pragma once

#include "team.cuh"

namespace reel::cuda {

/// The element as a number without sign that is ordered alike; zeros are equal, NaN is the greatest.
template <class T> __device__ std::uint64_t key_of(number_t<T> v) {
    if constexpr (std::is_same_v<T, AnyInteger>) return v ^ (std::uint64_t(1) << 63);
    else if constexpr (sizeof(v) == 8) {
        constexpr std::uint64_t sign = std::uint64_t(1) << 63;
        std::uint64_t bits;
        if (is_nan(v)) return ~std::uint64_t(0);
        if (v == 0) v = 0;
        std::memcpy(&bits, &v, 8);
        return bits & sign ? ~bits : bits | sign;
    } else {
        constexpr std::uint32_t sign = std::uint32_t(1) << 31;
        std::uint32_t bits;
        if (is_nan(v)) return ~std::uint32_t(0);
        if (v == 0) v = 0;
        std::memcpy(&bits, &v, 4);
        return bits & sign ? std::uint32_t(~bits) : bits | sign;
    }
}
/// Bits of the keys of T.
template <class T> inline constexpr int key_bits = std::is_same_v<T, AnyInteger> || sizeof(number_t<T>) == 8 ? 64 : 32;

/// Sums that a block shares.
struct Adds {
    template <class T> __device__ T operator()(const T& a, const T& b) const { return a + b; }
};

/// `place_of_rank` of a row of at most as many elements as the block has threads: each counts those before its own.
template <class T>
__device__ std::int64_t place_of_rank_by_counting(const BlockTeam& team, const Elements<T>& in, std::int64_t start,
                                                  std::int64_t n, std::int64_t rank) {
    std::int64_t place = -1;
    if (team.me < n) {
        const std::uint64_t own = key_of<T>(in[start + team.me]);
        std::int64_t before = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            const std::uint64_t key = key_of<T>(in[start + i]);
            before += key < own || (key == own && i < team.me);
        }
        if (before == rank) place = team.me;
    }
    return team.share(team.join(place, [](std::int64_t a, std::int64_t b) { return a > b ? a : b; }));
}

/// The place within row [start, start + n) of its element of rank `rank`, equal ones in their order. The whole block
/// comes, and all threads get the result.
template <class T>
__device__ std::int64_t place_of_rank(const BlockTeam& team, const Elements<T>& in, std::int64_t start, std::int64_t n,
                                      std::int64_t rank) {
    if (n <= team.size) return place_of_rank_by_counting(team, in, start, n, rank);
    constexpr int digits = 256;
    using Count = unsigned long long;
    __shared__ Count counts[digits];
    std::uint64_t found = 0, known = 0; // the key's upper digits, and which they are
    for (int shift = key_bits<T> - 8; shift >= 0; shift -= 8) {
        for (int d = team.me; d < digits; d += team.size) counts[d] = 0;
        __syncthreads();
        for (std::int64_t i = team.me; i < n; i += team.size)
            if (const std::uint64_t key = key_of<T>(in[start + i]); (key & known) == found)
                atomicAdd(&counts[key >> shift & (digits - 1)], Count(1));
        __syncthreads();
        int digit = 0;
        for (; rank >= std::int64_t(counts[digit]); ++digit) rank -= std::int64_t(counts[digit]);
        found |= std::uint64_t(digit) << shift;
        known |= std::uint64_t(digits - 1) << shift;
        __syncthreads();
    }
    // of those with this key the one of what is left of the rank
    std::int64_t passed = 0, place = -1;
    for (std::int64_t tile = 0; tile < n && passed <= rank; tile += team.size) {
        const std::int64_t i = tile + team.me;
        const std::int64_t is = i < n && key_of<T>(in[start + i]) == found;
        std::int64_t all;
        const std::int64_t before = team.before(is, std::int64_t(0), Adds(), all);
        if (is && passed + before == rank) place = i;
        passed += all;
    }
    return team.share(team.join(place, [](std::int64_t a, std::int64_t b) { return a > b ? a : b; }));
}

/// How many elements of a row are NaN.
template <class T>
__device__ std::int64_t count_nan(const BlockTeam& team, const Elements<T>& in, std::int64_t start, std::int64_t n) {
    std::int64_t count = 0;
    for (std::int64_t i = team.me; i < n; i += team.size) count += is_nan(in[start + i]);
    return team.share(team.join(count, Adds()));
}

/// Runs `program` with a block for each of `rows` rows.
template <class Program>
void over_blocks(const char* op, const OnDevice& on, const Program& program, std::int64_t rows, std::int64_t length) {
    if (rows > 0)
        launch(op, rows_kernel<BlockTeam, Program>, on.blocks(rows), program, rows, length, threads_per_block);
}

} // namespace reel::cuda
