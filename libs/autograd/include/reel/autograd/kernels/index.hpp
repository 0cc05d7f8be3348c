// The kernels behind every op that reads or writes at computed positions.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

/// What happens where several sources meet one element.
enum class ScatterMode { Assign, Add, Multiply, Maximum, Minimum };

namespace cpu {
void check_index(const char* op, const Tensor& index, std::int64_t size, bool wrap, bool& negative);
void wrap_index(const char* op, const Tensor& index, std::int64_t size);
void gather(const Tensor& out, const Tensor& self, const Tensor& index, std::int64_t step);
void scatter(ScatterMode mode, const Tensor& self, const Tensor& index, const Tensor& src, std::int64_t step,
             bool apart);
} // namespace cpu

namespace kernels {
/// Throws IndexError naming the op and the first value of `index` (int64, any strides) that is not in [0, size), or in
/// [-size, size) with `wrap`; tells whether there is a negative one. A device may leave `negative` true without having
/// looked, and stop on a bad value later.
inline constinit Kernel<decltype(cpu::check_index), Answers> check_index{"check_index", &cpu::check_index};
/// index[i] += size where it is negative; int64, dense.
inline constinit Kernel<decltype(cpu::wrap_index), Writes<1>> wrap_index{"wrap_index", &cpu::wrap_index};
/// `out[i] = *(&self[i] + index[i] * step)`: all three have the sizes of `out`, any strides; `self` has stride 0 along
/// what the index runs over, `step` is in elements. Indices (int64) are in range already. Any dtype.
inline constinit Kernel<decltype(cpu::gather), Writes<0>> gather{"gather", &cpu::gather};
/// `combine(*(&self[i] + index[i] * step), src[i])`, in order of the indices; `self`, `index`, `src` have equal sizes.
/// `apart`: no two places of the tensor that `self` shows are one element in memory.
inline constinit Kernel<decltype(cpu::scatter), Writes<1>> scatter{"scatter", &cpu::scatter};
} // namespace kernels

} // namespace reel
