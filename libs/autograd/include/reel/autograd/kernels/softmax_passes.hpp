// The kernels of softmax along a dimension that is not the last, and of its gradient in one pass.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void softmax_columns(const Tensor& out, const Tensor& x, std::int64_t n, std::int64_t inner, bool logarithm);
void softmax_backward(const Tensor& grad_input, const Tensor& grad, const Tensor& out, std::int64_t n,
                      std::int64_t inner, bool logarithm);
} // namespace cpu

namespace kernels {
/// The softmax, or its logarithm, along the middle dimension of x [..., n, inner]. Both are dense and of one dtype,
/// float32 or float64, or, where `inner` is one, of 16 bits. Devices without it bring the dimension to the end.
inline constinit Kernel<decltype(cpu::softmax_columns), Writes<0>> softmax_columns{"softmax", &cpu::softmax_columns};
/// out (grad - sum(grad out)), or, of the logarithm, grad - exp(out) sum(grad), with sums along the middle dimension of
/// [..., n, inner]. All are dense and of one dtype, float32 or float64, or, where `inner` is one, of 16 bits. Devices
/// without it compute it by ops.
inline constinit Kernel<decltype(cpu::softmax_backward), Writes<0>> softmax_backward{"softmax", &cpu::softmax_backward};
} // namespace kernels

} // namespace reel
