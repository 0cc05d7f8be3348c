// Convolutions of one to three spatial dimensions. float32 and float64 go through conv_direct.cpp, pointwise kernels
// and all other dtypes through columns of patches and matrix products.
#pragma once

#include <cstdint>

#include <reel/autograd/dtype.hpp>

namespace reel::cpu {

/// A correlation from `in` to `out`: out position o reads in position o * stride - pad + k * dilation for every kernel
/// position k. Fewer than three spatial dimensions: the leading ones have size 1. Places outside of `in` count as zero.
struct ConvGeometry {
    std::int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
    std::int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1},
                 pad[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};

    std::int64_t in_size() const { return in[0] * in[1] * in[2]; }
    std::int64_t out_size() const { return out[0] * out[1] * out[2]; }
    std::int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
    std::int64_t channels_per_group() const { return in_channels / groups; }
};

// All tensors are dense: x [batch, in_channels, in...], y [batch, out_channels, out...],
// w [out_channels, in_channels / groups, kernel...]. Any dtype that `gemm` takes except the 16-bit floats.
// `bias` has one entry per channel of the result, or is null.

/// y = w * x + bias.
void conv_forward(ScalarType t, const ConvGeometry& g, const void* x, const void* w, const void* bias, void* y);
/// x = the adjoint of `conv_forward` in x, applied to y, + bias (a transposed convolution). Takes 16-bit floats too,
/// and then adds up in them.
void conv_input(ScalarType t, const ConvGeometry& g, const void* y, const void* w, const void* bias, void* x);
/// w = the adjoint of `conv_forward` in w, applied to y.
void conv_weight(ScalarType t, const ConvGeometry& g, const void* x, const void* y, void* w);

} // namespace reel::cpu
