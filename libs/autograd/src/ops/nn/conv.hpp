// What convolutions share: the checked geometry, and the three recorded bilinear maps.
#pragma once

#include <reel/autograd/kernels/conv.hpp>

namespace reel::conv {

/// The arguments of a call, one entry per spatial dimension.
struct Arguments {
    Dims stride, padding, dilation, output_padding;
    std::int64_t groups = 1;
};
/// One entry per spatial dimension from one or as many. Throws naming op and argument.
Dims spread(const char* op, const char* argument, IntArrayRef values, std::size_t n);

/// input [N, C, ...] with any of `n` spatial dimensions, batch dimension optional. `padding` "same" or "valid" comes as
/// `same` or zeros.
Tensor convolve(const char* op, std::size_t n, const Tensor& input, const Tensor& weight, const Tensor& bias,
                const Arguments& arguments, bool same);
Tensor convolve_transposed(const char* op, std::size_t n, const Tensor& input, const Tensor& weight, const Tensor& bias,
                           const Arguments& arguments);

} // namespace reel::conv
