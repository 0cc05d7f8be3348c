// The four operations and their kin.
#pragma once

#include <limits>

#include <reel/autograd/pointwise/integer_loops.hpp>
#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

struct add_op : binary<Result::Same, all_numbers | boolean, none, none>, vector_form, integer_loops {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (std::is_same_v<T, bool>) return x || o;
        else return T(math::wrapping(x) + math::wrapping(o));
    }
    template <class T> T da(T g, T, T, T) const { return g; }
    template <class T> T db(T g, T, T, T) const { return g; }
};
struct sub_op : binary<Result::Same, all_numbers, none, none>, vector_form, integer_loops {
    template <class T> REEL_HD T f(T x, T o) const { return T(math::wrapping(x) - math::wrapping(o)); }
    template <class T> T da(T g, T, T, T) const { return g; }
    template <class T> T db(T g, T, T, T) const { return -g; }
};
struct mul_op : binary<Result::Same, all_numbers | boolean, b, a>, vector_form, integer_loops {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (std::is_same_v<T, bool>) return x && o;
        else return T(math::wrapping(x) * math::wrapping(o));
    }
    template <class T> T da(T g, T, T o, T) const { return g * conj(o); }
    template <class T> T db(T g, T x, T, T) const { return g * conj(x); }
};
/// d(x/o) = dx/o - x do/o^2
struct div_op : binary<Result::ToFloat, floating | complex, b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const { return x / o; }
    template <class T> T da(T g, T, T o, T) const { return g / conj(o); }
    template <class T> T db(T g, T x, T o, T) const { return -g * conj((x / o) / o); }
};
/// atan2(x, o): d = (o dx - x do) / (x^2 + o^2)
REEL_OP("atan2(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("arctan2"))
struct atan2_op : binary<Result::ToFloat, floating, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const { return atan2(x, o); }
    template <class T> T da(T g, T x, T o, T) const { return g * (o / squared_radius(x, o)); }
    template <class T> T db(T g, T x, T o, T) const { return g * (-x / squared_radius(x, o)); }
    /// Infinite at the origin, where the gradient is taken to be zero.
    template <class T> static T squared_radius(T x, T o) {
        const T r = x * x + o * o;
        return masked_fill(r, r == 0, std::numeric_limits<double>::infinity());
    }
};

struct neg_op : unary<Result::Same, all_numbers, Saves::Nothing>, vector_form {
    template <class T> REEL_HD T f(T x) const { return T(-math::wrapping(x)); }
    template <class T> T df(T g, T, T) const { return -g; }
    void check(const char* op, const Tensor& x) const {
        REEL_CHECK(x.scalar_type() != kBool, op, ": negation is not defined for bool tensors; use logical_not");
    }
};
REEL_OP("reciprocal(Tensor input) -> Tensor", rule, method, out, inplace)
struct reciprocal_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    template <class T> REEL_HD T f(T x) const { return constant<T>(1) / x; }
    template <class T> T df(T g, T, T o) const { return -g * conj(o * o); }
};
struct square_op : unary<Result::Same, all_numbers, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const { return T(math::wrapping(x) * math::wrapping(x)); }
    template <class T> T df(T g, T x, T) const { return g * conj(x * constant<T>(2)); }
};
REEL_OP("sqrt(Tensor input) -> Tensor", rule, method, out, inplace, domain(0, infinity))
struct sqrt_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return sqrt(x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return g / conj(o * constant<T>(2)); }
};
REEL_OP("rsqrt(Tensor input) -> Tensor", rule, method, out, inplace, domain(0, infinity))
struct rsqrt_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return rsqrt(x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return g * conj(o * o * o * constant<T>(-0.5)); }
};

} // namespace reel::pointwise
