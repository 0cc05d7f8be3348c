// Where the elements of strided operands lie: dimensions collapsed on the host, offsets computed in the kernel.
#pragma once

#include <cstdint>

#include <reel/autograd/error.hpp>
#include <reel/autograd/tensor.hpp>

#include "launch.hpp"

namespace reel::cuda {

inline constexpr int max_dims = 16; // after collapsing

/// `n` operands of one shape; strides in elements, the last dimension runs fastest.
template <int n> struct Strided {
    std::int64_t numel = 1;
    int dims = 0;
    std::int64_t sizes[max_dims];
    std::int64_t strides[n][max_dims];

    /// Offsets of element `i` of the row-major order.
    __device__ void offsets(std::int64_t i, std::int64_t (&at)[n]) const {
        for (int k = 0; k < n; ++k) at[k] = 0;
        for (int d = dims - 1; d > 0; --d) {
            const std::int64_t rest = i / sizes[d], here = i - rest * sizes[d];
            for (int k = 0; k < n; ++k) at[k] += here * strides[k][d];
            i = rest;
        }
        if (dims > 0)
            for (int k = 0; k < n; ++k) at[k] += i * strides[k][0];
    }
};

/// Neighbouring dimensions that all operands walk without a gap become one; those of size one vanish.
template <int n> Strided<n> strided(const char* op, IntArrayRef sizes, const Tensor* const (&t)[n]) {
    Strided<n> r;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        r.numel *= sizes[d];
        if (sizes[d] == 1) continue;
        bool joins = r.dims > 0;
        for (int k = 0; k < n; ++k) joins = joins && r.strides[k][r.dims - 1] == t[k]->strides()[d] * sizes[d];
        if (!joins) {
            REEL_CHECK_NOT_IMPLEMENTED(r.dims < max_dims, op, ": the cuda kernel takes at most ", max_dims,
                                       " dimensions, got shape ", sizes);
            r.sizes[r.dims++] = 1;
        }
        r.sizes[r.dims - 1] *= sizes[d];
        for (int k = 0; k < n; ++k) r.strides[k][r.dims - 1] = t[k]->strides()[d];
    }
    return r;
}

inline constexpr int threads_per_block = 256;
/// Blocks for a loop that strides over the grid: enough to fill the device, few enough to keep launches cheap.
inline unsigned blocks_for(std::int64_t work) {
    constexpr std::int64_t most = 132 * 32;
    const std::int64_t blocks = (work + threads_per_block - 1) / threads_per_block;
    return unsigned(blocks < most ? blocks : most);
}

/// 16-bit floats compute in float.
template <class T> struct compute_of { using type = T; };
template <> struct compute_of<Half> { using type = float; };
template <> struct compute_of<BFloat16> { using type = float; };
template <class T> using compute_t = typename compute_of<T>::type;

} // namespace reel::cuda
