// Stands before CUB's header of this name.
#pragma once

#include <reel/cuda/emulation/primitives.hpp>

namespace cub {

struct DeviceScan {
    static cudaError_t InclusiveSum(void* room, std::size_t& bytes, const std::int64_t* in, std::int64_t* out,
                                    std::int64_t count, cudaStream_t stream) {
        return reel::cuda::emulation::inclusive_sum({room, bytes}, in, out, count, stream);
    }
};

} // namespace cub
