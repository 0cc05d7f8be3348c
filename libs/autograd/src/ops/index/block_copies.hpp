// Joining and picking rows where they are plain bytes: what small tensors would spend on strides is left out.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::shape {

/// Writes `tensors` one after the other along `dim` of `out`; a stack is such a row of ones. False, and nothing is
/// done, unless all lie contiguous on the host with the dtype of `out`, which must be small enough for one thread.
bool join_blocks(const Tensor& out, TensorList tensors, std::int64_t dim);

/// `self[index]` by the first dimension. Undefined, so that the general way says or does what is needed, unless `self`
/// and the int64 `index` lie contiguous on the host and every index is in range.
Tensor take_rows(const Tensor& self, const Tensor& index);
/// `self[index] = values` on the same terms, in order; `values` are contiguous, of the same dtype and of full size.
bool put_rows(const Tensor& self, const Tensor& index, const Tensor& values);

} // namespace reel::shape
