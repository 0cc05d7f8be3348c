// Bounds and extrema.
#pragma once

#include <cmath>
#include <limits>

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// One bound or both; a NaN bound makes everything NaN, the upper bound wins. Gradients depend on which bounds are
/// tensors: they stand with the op.
struct clamp_min_op : binary<Result::Same, reals | boolean>, vector_form {
    template <class T> REEL_HD T f(T x, T low) const { return maximum(low, x); }
};
struct clamp_max_op : binary<Result::Same, reals | boolean>, vector_form {
    template <class T> REEL_HD T f(T x, T high) const { return minimum(high, x); }
};
struct clamp_op : ternary<Result::Same, reals>, vector_form {
    template <class T> REEL_HD T f(T x, T low, T high) const {
        return clamp_max_op().f(clamp_min_op().f(x, low), high);
    }
};

/// What the operands of `fmax` and `fmin` get: all where they win, half where they tie. `first`: x wins.
template <class T> T share_first(const T& g, const T& x, const T& o, const T& first) {
    return where(first, where(x == o, g * 0.5, g), 0);
}
template <class T> T share_second(const T& g, const T& x, const T& o, const T& first) {
    return masked_fill(where(x == o, g * 0.5, g), logical_and(first, x != o), 0);
}
/// The larger one; NaN loses.  Ties share the gradient.
REEL_OP("fmax(Tensor input, Tensor other) -> Tensor", rule, method, out)
struct fmax_op : binary<Result::Same, reals | boolean, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const { return where(x >= o, x, where(o != o, x, o)); }
    template <class T> T da(T g, T x, T o, T) const { return share_first(g, x, o, logical_or(x >= o, isnan(o))); }
    template <class T> T db(T g, T x, T o, T) const { return share_second(g, x, o, logical_or(x >= o, isnan(o))); }
};
/// The smaller one; NaN loses.  Ties share the gradient.
REEL_OP("fmin(Tensor input, Tensor other) -> Tensor", rule, method, out)
struct fmin_op : binary<Result::Same, reals | boolean, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const { return where(x <= o, x, where(o != o, x, o)); }
    template <class T> T da(T g, T x, T o, T) const { return share_first(g, x, o, logical_or(x <= o, isnan(o))); }
    template <class T> T db(T g, T x, T o, T) const { return share_second(g, x, o, logical_or(x <= o, isnan(o))); }
};

/// NaN and the infinities become numbers, of complex numbers in either part.
struct nan_to_num_op : unary<Result::Same, floating | complex, Saves::Input>, vector_form {
    double nan, high, low;
    nan_to_num_op(double for_nan, double above, double below) : nan(for_nan), high(above), low(below) {}
    template <class T> REEL_HD T f(T x) const {
        if constexpr (math::is_complex<T>::value) return {part(x.real()), part(x.imag())};
        else return part(x);
    }
    static constexpr bool fused = true;
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(x - x == constant<T>(0), g, constant<T>(0)); // only what is finite minus itself is zero
    }

private:
    template <class T> REEL_HD T part(T x) const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return where(x != x, k<T>(nan),
                     where(x == k<T>(infinity), k<T>(high), where(x == k<T>(-infinity), k<T>(low), x)));
    }
};
/// x, and zero for NaN.
struct nan_to_zero_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(x != x, k<T>(0), x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return where(x != x, k<T>(0), g); }
};

} // namespace reel::pointwise
