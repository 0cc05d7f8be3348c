// What stands in for CUB: of each function the one form that is used.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace reel::cuda::emulation {

/// The memory in which a call works. Without any it says in `bytes` how much it needs, and does nothing else.
struct PrimitiveRoom {
    void* begin;
    std::size_t& bytes;
};

/// Pairs in the order of their keys' bits from `begin_bit` to before `end_bit`; equal ones keep their order. Operands
/// and results lie apart, in live memory.
cudaError_t sort_pairs(PrimitiveRoom room, const std::uint64_t* keys_in, std::uint64_t* keys_out,
                       const std::int64_t* values_in, std::int64_t* values_out, std::int64_t count, int begin_bit,
                       int end_bit, cudaStream_t stream);
/// Each element's sum with all before it; may go in place.
cudaError_t inclusive_sum(PrimitiveRoom room, const std::int64_t* in, std::int64_t* out, std::int64_t count,
                          cudaStream_t stream);

} // namespace reel::cuda::emulation
