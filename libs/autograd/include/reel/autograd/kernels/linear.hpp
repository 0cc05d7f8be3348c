// Kernel of a product of matrices with a bias.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace kernels {
/// out = input weight^T + bias for matrices of one floating dtype, none of them empty, and a dense `bias` with an entry
/// per column: `out` is row-major and dense, the others have any strides. For devices whose libraries add the bias on
/// the way; elsewhere, the CPU too, the op fills `out` with the bias and adds the product to it.
inline constinit Kernel<void(const Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias)> linear{
    "linear"};
} // namespace kernels

} // namespace reel
