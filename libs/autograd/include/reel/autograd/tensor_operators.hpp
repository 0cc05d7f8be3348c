// Operators on tensors and numbers: the ops of the same meaning.
#pragma once

#include <reel/autograd/scalar.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

Tensor operator+(const Tensor& x, const Tensor& o);
Tensor operator+(const Tensor& x, const Scalar& o);
Tensor operator+(const Scalar& x, const Tensor& o);
Tensor operator-(const Tensor& x, const Tensor& o);
Tensor operator-(const Tensor& x, const Scalar& o);
Tensor operator-(const Scalar& x, const Tensor& o);
Tensor operator*(const Tensor& x, const Tensor& o);
Tensor operator*(const Tensor& x, const Scalar& o);
Tensor operator*(const Scalar& x, const Tensor& o);
Tensor operator/(const Tensor& x, const Tensor& o);
Tensor operator/(const Tensor& x, const Scalar& o);
Tensor operator/(const Scalar& x, const Tensor& o);
Tensor operator==(const Tensor& x, const Tensor& o);
Tensor operator==(const Tensor& x, const Scalar& o);
Tensor operator==(const Scalar& x, const Tensor& o);
Tensor operator!=(const Tensor& x, const Tensor& o);
Tensor operator!=(const Tensor& x, const Scalar& o);
Tensor operator!=(const Scalar& x, const Tensor& o);
Tensor operator<(const Tensor& x, const Tensor& o);
Tensor operator<(const Tensor& x, const Scalar& o);
Tensor operator<(const Scalar& x, const Tensor& o);
Tensor operator<=(const Tensor& x, const Tensor& o);
Tensor operator<=(const Tensor& x, const Scalar& o);
Tensor operator<=(const Scalar& x, const Tensor& o);
Tensor operator>(const Tensor& x, const Tensor& o);
Tensor operator>(const Tensor& x, const Scalar& o);
Tensor operator>(const Scalar& x, const Tensor& o);
Tensor operator>=(const Tensor& x, const Tensor& o);
Tensor operator>=(const Tensor& x, const Scalar& o);
Tensor operator>=(const Scalar& x, const Tensor& o);
Tensor operator%(const Tensor& x, const Tensor& o);
Tensor operator%(const Tensor& x, const Scalar& o);
Tensor operator%(const Scalar& x, const Tensor& o);
Tensor operator&(const Tensor& x, const Tensor& o);
Tensor operator&(const Tensor& x, const Scalar& o);
Tensor operator&(const Scalar& x, const Tensor& o);
Tensor operator|(const Tensor& x, const Tensor& o);
Tensor operator|(const Tensor& x, const Scalar& o);
Tensor operator|(const Scalar& x, const Tensor& o);
Tensor operator^(const Tensor& x, const Tensor& o);
Tensor operator^(const Tensor& x, const Scalar& o);
Tensor operator^(const Scalar& x, const Tensor& o);

/// Both undefined, or both defined with equal sizes and elements.
bool equal_if_defined(const Tensor& a, const Tensor& b);

} // namespace reel
