// The kernel of sums into elements that may overlap.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void accumulate(const Tensor& dst, const Tensor& src);
} // namespace cpu

namespace kernels {
/// dst[i] += src[i]; both have the same sizes and dtype, any strides. Elements of `dst` may share memory: each gets the
/// sum of all that go there.
inline constinit Kernel<decltype(cpu::accumulate), Writes<0>> accumulate{"accumulate", &cpu::accumulate};
} // namespace kernels

} // namespace reel
