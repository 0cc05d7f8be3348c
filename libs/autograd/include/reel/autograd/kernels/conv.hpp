// Kernels of convolutions: the correlation and its adjoints in each operand.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

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

// All tensors are dense and of one dtype: x [batch, in_channels, in...], y [batch, out_channels, out...],
// w [out_channels, in_channels / groups, kernel...]; `bias`, one entry per channel of the result, may be undefined.
// The first tensor is filled. 16-bit floats are added up in float32 and rounded once.
namespace cpu {
void conv(const ConvGeometry& g, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias);
void conv_transpose(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& bias);
void conv_weight(const ConvGeometry& g, const Tensor& w, const Tensor& x, const Tensor& y);
} // namespace cpu

namespace kernels {
/// y = w * x + bias.
inline constinit Kernel<decltype(cpu::conv), Writes<1>> conv{"conv", &cpu::conv};
/// x = the adjoint of `conv` in x, applied to y, + bias.
inline constinit Kernel<decltype(cpu::conv_transpose), Writes<1>> conv_transpose{"conv_transpose",
                                                                                 &cpu::conv_transpose};
/// w = the adjoint of `conv` in w, applied to y.
inline constinit Kernel<decltype(cpu::conv_weight), Writes<1>> conv_weight{"conv_weight", &cpu::conv_weight};
} // namespace kernels

} // namespace reel
