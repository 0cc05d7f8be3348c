// The kernel of reversing dimensions.
#pragma once

#include <cstdint>

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void flip(const Tensor& out, const Tensor& x, std::uint64_t dims);
} // namespace cpu

namespace kernels {
/// out = x, of any strides and dtype, with the order along each dimension whose bit is set in `dims` reversed; `out` is
/// dense. Devices without it gather.
inline constinit Kernel<decltype(cpu::flip), Writes<0>> flip{"flip", &cpu::flip};
} // namespace kernels

} // namespace reel
