// Tensors from data that the program already has: literals, containers and foreign memory.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <reel/autograd/detail/tensor_literal.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

/// A new tensor holding the literal's values: a number (0-dim), `{1, 2, 3}`, `{{1., 2.}, {3., 4.}}`, a vector.
/// Integers make int64, floating numbers the default dtype, bools bool, unless `options` names a dtype.
/// Errors: Error for lists of different lengths in one dimension or of mixed element types.
inline Tensor tensor(const detail::TensorLiteral& literal, const TensorOptions& options = {}) {
    return detail::tensor_from_literal(literal, options);
}
template <class T> Tensor tensor(ArrayRef<T> elements, const TensorOptions& options = {}) {
    return detail::tensor_from_elements(elements.data(), elements.size(), dtype_of<T>, options);
}
template <class T> Tensor tensor(const std::vector<T>& elements, const TensorOptions& options = {}) {
    if constexpr (std::is_same_v<T, bool>) {
        const std::vector<std::uint8_t> bytes(elements.begin(), elements.end());
        return detail::tensor_from_elements(bytes.data(), bytes.size(), kBool, options);
    } else return detail::tensor_from_elements(elements.data(), elements.size(), dtype_of<T>, options);
}
/// A copy of `data` that has no part in its graph, of the options' dtype and on their device where they name one.
template <std::same_as<Tensor> T> Tensor tensor(const T& data, const TensorOptions& options = {}) {
    return detail::tensor_from_tensor(data, options);
}

/// A tensor on memory that somebody else owns; never copies. `deleter` runs on `data` when the last tensor that shares
/// the memory is gone. Strides count elements. Errors: ValueError for negative sizes or strides, Error for a null
/// pointer with elements.
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, std::function<void(void*)> deleter, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, std::function<void(void*)> deleter,
                 const TensorOptions& options = {});

} // namespace reel
