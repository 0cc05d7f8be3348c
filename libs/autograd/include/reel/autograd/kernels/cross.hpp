// The kernel of vector products.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void cross(const char* op, const Tensor& out, const Tensor& a, const Tensor& b, std::int64_t inner);
} // namespace cpu

namespace kernels {
/// The vector products of a and b [..., 3, inner], all dense and of one dtype, whose numbers can be subtracted. Devices
/// without it compute them by ops.
inline constinit Kernel<decltype(cpu::cross), Writes<1>> cross{"cross", &cpu::cross};
} // namespace kernels

} // namespace reel
