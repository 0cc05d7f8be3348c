// The larger and the smaller of two operands.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// What reaches an operand of `maximum` and `minimum`: nothing where the other one was taken, half of `g` where both
/// are equal, all of it otherwise, also where either is NaN.
template <class T> T unless_lost(const T& g, const T& lost, const T& tie) {
    const auto t = g.scalar_type();
    return g * (1 - lost.to(t) - tie.to(t) * 0.5);
}
/// NaN wins; ties share the gradient.
REEL_OP("maximum(Tensor input, Tensor other) -> Tensor", rule, method, out)
struct maximum_op : binary<Result::Same, floating | integral | boolean, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const { return maximum(x, o); }
    template <class T> T da(T g, T x, T o, T) const { return unless_lost(g, x < o, x == o); }
    template <class T> T db(T g, T x, T o, T) const { return unless_lost(g, x > o, x == o); }
};
REEL_OP("minimum(Tensor input, Tensor other) -> Tensor", rule, method, out)
struct minimum_op : binary<Result::Same, floating | integral | boolean, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const { return minimum(x, o); }
    template <class T> T da(T g, T x, T o, T) const { return unless_lost(g, x > o, x == o); }
    template <class T> T db(T g, T x, T o, T) const { return unless_lost(g, x < o, x == o); }
};

} // namespace reel::pointwise
