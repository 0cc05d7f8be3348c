// Exponentials, logarithms, the error function.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

struct exp_op : unary<Result::ToFloat, floating | complex, Saves::Output> {
    template <class T> REEL_HD T f(T x) const { return exp(x); }
    template <class T> T df(T g, T, T o) const { return g * conj(o); }
};
struct exp2_op : unary<Result::ToFloat, floating | complex, Saves::Output> {
    template <class T> REEL_HD T f(T x) const { return exp2(x); }
    template <class T> T df(T g, T, T o) const { return g * conj(o * k<T>(0.693147180559945309)); }
};
struct expm1_op : unary<Result::ToFloat, floating | complex, Saves::Output> {
    template <class T> REEL_HD T f(T x) const { return expm1(x); }
    template <class T> T df(T g, T, T o) const { return g * conj(o + k<T>(1)); }
};
struct log_op : unary<Result::ToFloat, floating | complex, Saves::Input> {
    template <class T> REEL_HD T f(T x) const { return log(x); }
    template <class T> T df(T g, T x, T) const { return g / conj(x); }
};
struct log2_op : unary<Result::ToFloat, floating | complex, Saves::Input> {
    template <class T> REEL_HD T f(T x) const { return log2(x); }
    template <class T> T df(T g, T x, T) const { return g / conj(x * k<T>(0.693147180559945309)); }
};
struct log10_op : unary<Result::ToFloat, floating | complex, Saves::Input> {
    template <class T> REEL_HD T f(T x) const { return log10(x); }
    template <class T> T df(T g, T x, T) const { return g / conj(x * k<T>(2.302585092994045684)); }
};
struct log1p_op : unary<Result::ToFloat, floating | complex, Saves::Input> {
    template <class T> REEL_HD T f(T x) const { return log1p(x); }
    template <class T> T df(T g, T x, T) const { return g / conj(x + k<T>(1)); }
};
/// d/dx = 2/sqrt(pi) exp(-x^2)
struct erf_op : unary<Result::ToFloat, floating, Saves::Input> {
    template <class T> REEL_HD T f(T x) const { return erf(x); }
    template <class T> T df(T g, T x, T) const { return g * (exp(-x * x) * k<T>(1.1283791670955125739)); }
};
struct erfc_op : unary<Result::ToFloat, floating, Saves::Input> {
    template <class T> REEL_HD T f(T x) const { return erfc(x); }
    template <class T> T df(T g, T x, T) const { return g * (exp(-x * x) * k<T>(-1.1283791670955125739)); }
};

using exponential_unary = op_list<exp_op, exp2_op, expm1_op, log_op, log2_op, log10_op, log1p_op, erf_op, erfc_op>;

} // namespace reel::pointwise
