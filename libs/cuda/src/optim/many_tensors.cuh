// Many tensors by one launch: each has blocks of its own, of which each takes a chunk of its elements.
#pragma once

#include <cstdint>

namespace reel::cuda {

inline constexpr std::int64_t elements_per_block = 4096;

/// How many blocks a tensor of `count` elements gets.
inline std::int32_t chunks_of(std::int64_t count) {
    return std::int32_t((count + elements_per_block - 1) / elements_per_block);
}

/// The one of `count` entries, which say their `first_block` in ascending order, that this block works on.
template <class Entry> __device__ const Entry& entry_of_block(const Entry* entries, std::int32_t count) {
    const std::int32_t block = std::int32_t(blockIdx.x);
    std::int32_t low = 0, high = count - 1;
    while (low < high) { // the last that begins at this block or before
        const std::int32_t middle = low + (high - low + 1) / 2;
        if (entries[middle].first_block <= block) low = middle;
        else high = middle - 1;
    }
    return entries[low];
}

/// Calls `f(i)` for the elements of `entry` that are this thread's: of its `count`, those of the block's chunk.
template <class Entry, class F> __device__ void for_chunk(const Entry& entry, const F& f) {
    const std::int64_t begin = (std::int32_t(blockIdx.x) - entry.first_block) * elements_per_block;
    const std::int64_t stop = begin + elements_per_block, end = stop < entry.count ? stop : entry.count;
    for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) f(i);
}

} // namespace reel::cuda
