// Operators are the ops of their names, called as a user calls them.
#define REEL_CALLS_OPS
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/bitwise.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel {

#define REEL_BINARY_OPERATOR(op, name)                                                                                 \
    Tensor operator op(const Tensor& x, const Tensor& o) { return name(x, o); }                                        \
    Tensor operator op(const Tensor& x, const Scalar& o) { return name(x, o); }
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
REEL_BINARY_OPERATOR(%, remainder)
REEL_BINARY_OPERATOR(&, bitwise_and)
REEL_BINARY_OPERATOR(|, bitwise_or)
REEL_BINARY_OPERATOR(^, bitwise_xor)
#undef REEL_BINARY_OPERATOR
Tensor operator+(const Scalar& x, const Tensor& o) { return add(o, x); }
Tensor operator*(const Scalar& x, const Tensor& o) { return mul(o, x); }
Tensor operator-(const Scalar& x, const Tensor& o) { return rsub(o, x); }
Tensor operator/(const Scalar& x, const Tensor& o) { return mul(reciprocal(o), x); }
Tensor operator%(const Scalar& x, const Tensor& o) { return remainder(x, o); }
Tensor operator&(const Scalar& x, const Tensor& o) { return bitwise_and(x, o); }
Tensor operator|(const Scalar& x, const Tensor& o) { return bitwise_or(x, o); }
Tensor operator^(const Scalar& x, const Tensor& o) { return bitwise_xor(x, o); }
Tensor operator==(const Scalar& x, const Tensor& o) { return eq(o, x); }
Tensor operator!=(const Scalar& x, const Tensor& o) { return ne(o, x); }
Tensor operator<(const Scalar& x, const Tensor& o) { return gt(o, x); }
Tensor operator<=(const Scalar& x, const Tensor& o) { return ge(o, x); }
Tensor operator>(const Scalar& x, const Tensor& o) { return lt(o, x); }
Tensor operator>=(const Scalar& x, const Tensor& o) { return le(o, x); }

bool equal_if_defined(const Tensor& a, const Tensor& b) {
    return a.defined() == b.defined() && (!a.defined() || equal(a, b));
}

} // namespace reel
