// The strided-iteration engine: any shapes and strides become 1-D inner loops, chunked over threads.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Inner loop over `n` elements; data[0] is the output, strides are in bytes.
using Loop = void (*)(char* const* data, const std::int64_t* strides, std::int64_t n, const void* context);
constexpr int max_operands = 6;

/// Runs `loop` over a common shape. `strides[a]` are operand a's byte strides, outermost dimension first. Dimensions
/// are reordered by the output's strides and collapsed; chunks of at least `grain` elements go to threads.
void for_each_strided(int ndim, const std::int64_t* shape, int nargs, char* const* data,
                      const std::int64_t* const* strides, Loop loop, const void* context, std::int64_t grain = 32768);
/// The same where the first operand may stand still: threads share out the longest dimension along which it moves, and
/// each goes through its share in the order in which one thread goes through all. So none writes what another writes,
/// and what is written several times is written in the same order whatever the number of threads.
void for_each_strided_apart(int ndim, const std::int64_t* shape, int nargs, char* const* data,
                            const std::int64_t* const* strides, Loop loop, const void* context,
                            std::int64_t grain = 32768);
/// The same for operands that are all dense in the same order: one flat loop.
void for_each_flat(std::int64_t n, int nargs, char* const* data, const std::int64_t* element_bytes, Loop loop,
                   const void* context, std::int64_t grain = 32768);

} // namespace reel::cpu
