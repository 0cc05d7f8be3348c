// The two kernels behind every op that reads or writes at computed positions, and the checks on indices.
#pragma once

#include <reel/autograd/device_kernel.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

/// What happens where several sources meet one element.
enum class ScatterMode { Assign, Add, Multiply, Maximum, Minimum };

/// `out[i] = *(&self[i] + index[i] * step)`: all three have the sizes of `out`; `self` has stride 0 along what the
/// index runs over, `step` is in elements. Indices are in range already.
extern KernelSlot<void(const Tensor& out, const Tensor& self, const Tensor& index, std::int64_t step)>
    index_gather_kernel;
/// `combine(*(&self[i] + index[i] * step), src[i])`, in order of the indices; `self`, `index`, `src` have equal sizes.
extern KernelSlot<void(ScatterMode mode, const Tensor& self, const Tensor& index, const Tensor& src, std::int64_t step)>
    index_scatter_kernel;

namespace shape {

/// `index` as int64 with every value in [0, size); negative values count from the end if `wrap`. IndexError naming the
/// op and the first bad value; TypeError for other dtypes than int32 and int64.
Tensor checked_index(const char* op, const Tensor& index, std::int64_t size, bool wrap = false);

/// `input.gather(dim, index)` and its adjoint family for operands that were checked; nothing is recorded.
/// `index` has the result's (source's) sizes; a 0-dim `self` counts as one of one element.
Tensor gather_raw(const Tensor& self, std::int64_t dim, const Tensor& index);
void scatter_raw(ScatterMode mode, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src);
/// A one-dimensional index along `dim`, expanded to `sizes`.
Tensor expand_index(const Tensor& index, IntArrayRef sizes, std::int64_t dim);
/// 0-dim tensors as one-dimensional ones, without history.
Tensor at_least_1d_raw(const Tensor& t);

} // namespace shape
} // namespace reel
