// Exponentials, logarithms, the error function.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

REEL_OP("exp(Tensor input) -> Tensor", rule, method, out, inplace)
struct exp_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    template <class T> REEL_HD T f(T x) const { return exp(x); }
    template <class T> T df(T g, T, T o) const { return g * conj(o); }
};
REEL_OP("exp2(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.exp2"))
struct exp2_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return exp2(x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return g * conj(o * constant<T>(0.693147180559945309)); }
};
REEL_OP("expm1(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.expm1"))
struct expm1_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    template <class T> REEL_HD T f(T x) const { return expm1(x); }
    template <class T> T df(T g, T, T o) const { return g * conj(o + constant<T>(1)); }
};
REEL_OP("log(Tensor input) -> Tensor", rule, method, out, inplace, domain(0, infinity))
struct log_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const { return log(x); }
    template <class T> T df(T g, T x, T) const { return g / conj(x); }
};
REEL_OP("log2(Tensor input) -> Tensor", rule, method, out, inplace, domain(0, infinity))
struct log2_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return log2(x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g / conj(x * constant<T>(0.693147180559945309)); }
};
REEL_OP("log10(Tensor input) -> Tensor", rule, method, out, inplace, domain(0, infinity))
struct log10_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return log10(x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g / conj(x * constant<T>(2.302585092994045684)); }
};
REEL_OP("log1p(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.log1p"), domain(-1, infinity))
struct log1p_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const { return log1p(x); }
    template <class T> T df(T g, T x, T) const { return g / conj(x + constant<T>(1)); }
};
/// d/dx = 2/sqrt(pi) exp(-x^2)
REEL_OP("erf(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.erf"))
struct erf_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return erf(x); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return g * (exp(-x * x) * constant<T>(1.1283791670955125739));
    }
};
REEL_OP("erfc(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.erfc"))
struct erfc_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return erfc(x); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return g * (exp(-x * x) * constant<T>(-1.1283791670955125739));
    }
};

} // namespace reel::pointwise
