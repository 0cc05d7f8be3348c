// Tensors from data that the program already has: literals, containers and foreign memory.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel {

namespace detail {
/// A literal nested to any depth: a number, or a list of literals of equal shape.
class TensorLiteral {
public:
    template <class T>
    requires(std::is_arithmetic_v<T>) TensorLiteral(T v) : scalar_(v), dtype_(dtype_of<T>), is_scalar_(true) {}
    TensorLiteral(Half v) : scalar_(double(float(v))), dtype_(kHalf), is_scalar_(true) {}
    TensorLiteral(BFloat16 v) : scalar_(double(float(v))), dtype_(kBFloat16), is_scalar_(true) {}
    template <class T>
    TensorLiteral(std::complex<T> v) : scalar_(v), dtype_(dtype_of<std::complex<T>>), is_scalar_(true) {}
    TensorLiteral(std::initializer_list<TensorLiteral> elements) : elements_(elements) {}
    bool is_scalar() const { return is_scalar_; }
    const Scalar& scalar() const { return scalar_; }
    ScalarType dtype() const { return dtype_; }
    const std::vector<TensorLiteral>& elements() const { return elements_; }

private:
    Scalar scalar_ = 0;
    ScalarType dtype_ = ScalarType::Undefined;
    bool is_scalar_ = false;
    std::vector<TensorLiteral> elements_;
};
Tensor tensor_from_literal(const TensorLiteral& literal, const TensorOptions& options);

Tensor tensor_from_tensor(const Tensor& data, const TensorOptions& options);
Tensor tensor_from_elements(const void* elements, std::size_t n, ScalarType type, const TensorOptions& options);
} // namespace detail

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
