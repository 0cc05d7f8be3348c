// The kernel of choices between two operands.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void where(const Tensor& out, const Tensor& condition, const Tensor& input, const Tensor& other);
} // namespace cpu

namespace kernels {
/// out[i] = condition[i] ? input[i] : other[i]. All have the sizes of `out`, any strides; `condition` is bool, the
/// others have the dtype of `out`, any.
inline constinit Kernel<decltype(cpu::where), Writes<0>> where{"where", &cpu::where};
} // namespace kernels

} // namespace reel
