// Logic of elements that are zero or not.
#pragma once

#include <reel/autograd/pointwise/integer_loops.hpp>
#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// Bools, or the lanes' truth of vectors.
template <class T> REEL_HD auto truth(T x) { return x != T(0); }
template <class M> REEL_HD M both(M a, M b) { return a & b; }
template <class M> REEL_HD M either(M a, M b) { return a | b; }

REEL_OP("logical_and(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
struct logical_and_op : binary<Result::Same, anything>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const { return both(truth(x), truth(o)); }
};
REEL_OP("logical_or(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
struct logical_or_op : binary<Result::Same, anything>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const { return either(truth(x), truth(o)); }
};
REEL_OP("logical_xor(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
struct logical_xor_op : binary<Result::Same, anything>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const {
        return both(either(truth(x), truth(o)), !both(truth(x), truth(o)));
    }
};
REEL_OP("logical_not(Tensor input) -> Tensor", not_differentiable, method, out, inplace)
struct logical_not_op : unary<Result::Same, anything>, integer_loops {
    template <class T> REEL_HD bool f(T x) const { return x == T(0); }
};

} // namespace reel::pointwise
