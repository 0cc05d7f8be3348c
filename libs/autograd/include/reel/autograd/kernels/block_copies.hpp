// Shortcuts for tensors that are plain blocks: what small ones would spend on strides is left out.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
bool join_blocks(const Tensor& out, TensorList tensors, std::int64_t dim);
Tensor take_rows(const Tensor& self, const Tensor& index);
bool put_rows(const Tensor& self, const Tensor& index, const Tensor& values);
} // namespace cpu

namespace kernels {
// A device need not have these (`has` tells): an op that finds none, or whose operands one declines, goes the general
// way, which says or does what is needed.

/// Writes `tensors` one after the other along `dim` of `out`; a stack is such a row of ones. False, and nothing is
/// done, unless all have the dtype of `out` and give each of its rows bytes that lie together, each row's at one
/// distance from the last one's; few long rows are declined, too.
inline constinit Kernel<decltype(cpu::join_blocks), Writes<0>> join_blocks{"cat", &cpu::join_blocks};
/// `self[index]` by the first dimension. Undefined unless `self` and the int64 `index` lie contiguous and every index
/// is in range.
inline constinit Kernel<decltype(cpu::take_rows), MayDecline> take_rows{"index", &cpu::take_rows};
/// `self[index] = values` on the same terms, in order; `values` are contiguous, of the same dtype and of full size.
inline constinit Kernel<decltype(cpu::put_rows), MayDecline> put_rows{"index_put", &cpu::put_rows};
} // namespace kernels

} // namespace reel
