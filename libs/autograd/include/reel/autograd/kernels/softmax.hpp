// The kernel of softmax and its logarithm.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void softmax(const Tensor& out, const Tensor& rows, bool logarithm);
} // namespace cpu

namespace kernels {
/// The softmax, or its logarithm, of every row along the last dimension, which is not empty. Both are dense and of one
/// dtype, float32 or float64.
inline constinit Kernel<decltype(cpu::softmax), Writes<0>> softmax{"softmax", &cpu::softmax};
} // namespace kernels

} // namespace reel
