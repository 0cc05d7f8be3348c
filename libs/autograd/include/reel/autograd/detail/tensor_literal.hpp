// Literals of tensors, nested to any depth.
#pragma once

#include <complex>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::detail {

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

} // namespace reel::detail
