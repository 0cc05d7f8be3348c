// The kernel of evenly spaced numbers.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void count(const Tensor& out, std::int64_t start, std::int64_t step);
} // namespace cpu

namespace kernels {
/// out[i] = start + i * step, wrapping; a dense vector of int64. A device need not have it: what it lacks is counted on
/// the host and copied. Other dtypes are converted from it.
inline constinit Kernel<decltype(cpu::count), Writes<0>> count{"arange", &cpu::count};
} // namespace kernels

} // namespace reel
