// Operators on tensors and numbers.
#pragma once

#include <reel/autograd/ops.hpp>

namespace reel {

#define REEL_BINARY_OPERATOR(op, name)                                                                                 \
    inline Tensor operator op(const Tensor& x, const Tensor& o) { return name(x, o); }                                 \
    inline Tensor operator op(const Tensor& x, const Scalar& o) { return name(x, o); }
REEL_BINARY_OPERATOR(+, add)
REEL_BINARY_OPERATOR(-, sub)
REEL_BINARY_OPERATOR(*, mul)
REEL_BINARY_OPERATOR(/, div)
REEL_BINARY_OPERATOR(==, eq)
REEL_BINARY_OPERATOR(!=, ne)
REEL_BINARY_OPERATOR(<, lt)
REEL_BINARY_OPERATOR(<=, le)
REEL_BINARY_OPERATOR(>, gt)
REEL_BINARY_OPERATOR(>=, ge)
#undef REEL_BINARY_OPERATOR
inline Tensor operator+(const Scalar& x, const Tensor& o) { return add(o, x); }
inline Tensor operator*(const Scalar& x, const Tensor& o) { return mul(o, x); }
inline Tensor operator-(const Scalar& x, const Tensor& o) { return rsub(o, x); }
inline Tensor operator/(const Scalar& x, const Tensor& o) { return mul(reciprocal(o), x); }

} // namespace reel
