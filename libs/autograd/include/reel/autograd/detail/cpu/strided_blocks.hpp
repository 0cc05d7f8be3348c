// What loops over vectors have in common: operands of any strides go through blocks that are dense.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reel::cpu {

/// `n` elements of 2, 4 or 8 bytes, which stand `stride` bytes apart, to a dense block.
template <std::size_t bytes> void gather_block(char* block, const char* from, std::int64_t stride, std::int64_t n);
/// The way back; elements may be single bytes as well.
template <std::size_t bytes> void scatter_block(char* to, std::int64_t stride, const char* block, std::int64_t n);

/// How many operands a loop has, at most three, and the bytes of an element of theirs and of the result.
struct LoopShape {
    int operands;
    std::int64_t bytes, result_bytes;
};
/// `data[0]` is the result, the operands follow; strides are in bytes.
using BlockLoop = void (*)(char* const* data, const std::int64_t* strides, std::int64_t n, const void* context);

/// Runs `loop`, which takes dense operands and repeated elements, not all of them, over operands of any strides: of
/// what is neither a block is gathered, or scattered if it is the result. One function for all loops, which have many
/// instances.
void run_in_blocks(BlockLoop loop, LoopShape shape, char* const* data, const std::int64_t* strides, std::int64_t n,
                   const void* context);

} // namespace reel::cpu
