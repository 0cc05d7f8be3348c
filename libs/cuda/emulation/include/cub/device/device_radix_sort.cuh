// Stands before CUB's header of this name.
#pragma once

#include <reel/cuda/emulation/primitives.hpp>

namespace cub {

struct DeviceRadixSort {
    static cudaError_t SortPairs(void* room, std::size_t& bytes, const std::uint64_t* keys_in, std::uint64_t* keys_out,
                                 const std::int64_t* values_in, std::int64_t* values_out, std::int64_t count,
                                 int begin_bit, int end_bit, cudaStream_t stream) {
        return reel::cuda::emulation::sort_pairs({room, bytes}, keys_in, keys_out, values_in, values_out, count,
                                                 begin_bit, end_bit, stream);
    }
};

} // namespace cub
