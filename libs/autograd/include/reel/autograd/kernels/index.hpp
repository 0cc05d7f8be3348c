// The two kernels behind every op that reads or writes at computed positions.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

/// What happens where several sources meet one element.
enum class ScatterMode { Assign, Add, Multiply, Maximum, Minimum };

namespace cpu {
void gather(const Tensor& out, const Tensor& self, const Tensor& index, std::int64_t step);
void scatter(ScatterMode mode, const Tensor& self, const Tensor& index, const Tensor& src, std::int64_t step);
} // namespace cpu

namespace kernels {
/// `out[i] = *(&self[i] + index[i] * step)`: all three have the sizes of `out`, any strides; `self` has stride 0 along
/// what the index runs over, `step` is in elements. Indices (int64) are in range already. Any dtype.
inline constinit Kernel<decltype(cpu::gather)> gather{"gather", &cpu::gather};
/// `combine(*(&self[i] + index[i] * step), src[i])`, in order of the indices; `self`, `index`, `src` have equal sizes.
inline constinit Kernel<decltype(cpu::scatter)> scatter{"scatter", &cpu::scatter};
} // namespace kernels

} // namespace reel
