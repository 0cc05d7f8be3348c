// Reading and writing at computed positions: the checks on indices, and how operands come to the two kernels.
#pragma once

#include <reel/autograd/kernels/index.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

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
