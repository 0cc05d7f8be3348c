// Logic of elements that are zero or not.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

REEL_OP("logical_and(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
struct logical_and_op : binary<Result::Same, anything> {
    template <class T> REEL_HD bool f(T x, T o) const { return x != T(0) && o != T(0); }
};
REEL_OP("logical_or(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
struct logical_or_op : binary<Result::Same, anything> {
    template <class T> REEL_HD bool f(T x, T o) const { return x != T(0) || o != T(0); }
};
REEL_OP("logical_xor(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
struct logical_xor_op : binary<Result::Same, anything> {
    template <class T> REEL_HD bool f(T x, T o) const { return (x != T(0)) != (o != T(0)); }
};
REEL_OP("logical_not(Tensor input) -> Tensor", not_differentiable, method, out, inplace)
struct logical_not_op : unary<Result::Same, anything> {
    template <class T> REEL_HD bool f(T x) const { return x == T(0); }
};

} // namespace reel::pointwise
