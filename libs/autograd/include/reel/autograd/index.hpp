// Reading and writing by index lists as functions.
#pragma once

#include <initializer_list>

#include <reel/autograd/tensor.hpp>

namespace reel {

/// `x.index(indices)`.
inline Tensor index(const Tensor& x, std::initializer_list<indexing::TensorIndex> indices) { return x.index(indices); }
inline Tensor index(const Tensor& x, ArrayRef<indexing::TensorIndex> indices) { return x.index(indices); }
/// `x.index_put_(indices, value, accumulate)`: writes into `x`, and returns it.
inline Tensor& index_put_(const Tensor& x, std::initializer_list<indexing::TensorIndex> indices, const Tensor& value,
                          bool accumulate = false) {
    return x.index_put_(indices, value, accumulate);
}
inline Tensor& index_put_(const Tensor& x, ArrayRef<indexing::TensorIndex> indices, const Tensor& value,
                          bool accumulate = false) {
    return x.index_put_(indices, value, accumulate);
}

} // namespace reel
