// Indexing by tensors, by NumPy's rules: what `index`, `index_put` and the index lists of tensors share.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel {

/// `self[indices]`: one entry per leading dimension, undefined ones meaning all of it; integer tensors broadcast
/// together, masks stand for the coordinates of their true elements. Recorded.
Tensor index_by(const Tensor& self, TensorList indices);
/// `self` with `self[indices] = values` (or `+=`). Recorded.
Tensor index_put_by(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate);
/// The same in place.
void index_put_in_place(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate);
/// uint8 masks still select, as PyTorch's do, with a warning.
void warn_of_byte_mask();

} // namespace reel
