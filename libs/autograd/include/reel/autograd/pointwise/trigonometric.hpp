// Circular and hyperbolic functions.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

REEL_OP("sin(Tensor input) -> Tensor", rule, method, out, inplace)
struct sin_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return sin(x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g * conj(cos(x)); }
};
REEL_OP("cos(Tensor input) -> Tensor", rule, method, out, inplace)
struct cos_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return cos(x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g * conj(-sin(x)); }
};
REEL_OP("tan(Tensor input) -> Tensor", rule, method, out, inplace)
struct tan_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return tan(x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return g * conj(o * o + constant<T>(1)); }
};
REEL_OP("asin(Tensor input) -> Tensor", rule, method, out, inplace, alias("arcsin"), domain(-1, 1))
struct asin_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return asin(x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g * conj(rsqrt(-(x * x) + constant<T>(1))); }
};
REEL_OP("acos(Tensor input) -> Tensor", rule, method, out, inplace, alias("arccos"), domain(-1, 1))
struct acos_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return acos(x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g * conj(-rsqrt(-(x * x) + constant<T>(1))); }
};
REEL_OP("atan(Tensor input) -> Tensor", rule, method, out, inplace, alias("arctan"))
struct atan_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return atan(x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g / conj(x * x + constant<T>(1)); }
};
REEL_OP("sinh(Tensor input) -> Tensor", rule, method, out, inplace)
struct sinh_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const { return sinh(x); }
    template <class T> T df(T g, T x, T) const { return g * conj(cosh(x)); }
};
REEL_OP("cosh(Tensor input) -> Tensor", rule, method, out, inplace)
struct cosh_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const { return cosh(x); }
    template <class T> T df(T g, T x, T) const { return g * conj(sinh(x)); }
};
REEL_OP("asinh(Tensor input) -> Tensor", rule, method, out, inplace, alias("arcsinh"))
struct asinh_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const { return asinh(x); }
    template <class T> T df(T g, T x, T) const { return g * conj(rsqrt(x * x + constant<T>(1))); }
};
REEL_OP("acosh(Tensor input) -> Tensor", rule, method, out, inplace, alias("arccosh"), domain(1, infinity))
struct acosh_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const { return acosh(x); }
    template <class T> T df(T g, T x, T) const {
        return g * conj(rsqrt(x - constant<T>(1)) * rsqrt(x + constant<T>(1)));
    }
};
REEL_OP("atanh(Tensor input) -> Tensor", rule, method, out, inplace, alias("arctanh"), domain(-1, 1))
struct atanh_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const { return atanh(x); }
    template <class T> T df(T g, T x, T) const { return g * conj(reciprocal(-(x * x) + constant<T>(1))); }
};
/// d/dx = 1 - y^2
REEL_OP("tanh(Tensor input) -> Tensor", rule, method, out, inplace, alias("nn.functional.tanh"))
struct tanh_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return tanh(x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return g * conj(constant<T>(1) - o * o); }
};

} // namespace reel::pointwise
