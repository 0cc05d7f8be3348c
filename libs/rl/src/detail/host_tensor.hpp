// Tensors of the host that are written element by element.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::rl::detail {

/// A contiguous tensor in the host's memory that nobody has written, and where its elements begin.
template <class T> struct HostTensor {
    Tensor tensor;
    T* data;
};
/// `T` is the element of its dtype: bool, std::uint8_t, std::int64_t, float, double.
template <class T> HostTensor<T> host_tensor(IntArrayRef sizes);

} // namespace reel::rl::detail
