// The error function's family and the normal distribution.
#pragma once

#include <cmath>

#include <reel/autograd/pointwise/rule.hpp>
#include <reel/autograd/pointwise/special_math.hpp>
#if defined(REEL_ISA)
#include <reel/autograd/detail/cpu/inverse_erf.hpp> // what the vector form of erfinv calls
#endif

namespace reel::pointwise {

/// Inverse of erf on [-1, 1].  d/dx = sqrt(pi) / 2 e^(y^2)
REEL_OP("erfinv(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.erfinv"), domain(-1, 1))
struct erfinv_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form, host_only {
    static constexpr bool fused = true;
    template <class T> T f(T x) const { return erfinv(x); }
    template <class T> T df(T g, T x, T) const {
        const T y = erfinv(x);
        return g * exp(y * y) * constant<T>(0.88622692545275801365);
    }
};
/// e^(x^2) erfc(x), without overflow.
REEL_OP("special.erfcx(Tensor input) -> Tensor", rule, out)
struct erfcx_op : unary<Result::ToFloat, floating, Saves::Both>, host_only {
    template <class T> T f(T x) const {
        if (x > -2) return T(special_math::erfcx(double(x)));
        // e^(x^2) dominates; in the precision of T it shows the rounding of x^2.
        const T z = x * x;
        return 2 * std::exp(z) - T(special_math::erfcx(-double(x)));
    }
    template <class T> T df(T g, T x, T o) const { return g * (x * 2 * o - 1.12837916709551257390); }
};
/// Distribution function of the standard normal.
REEL_OP("special.ndtr(Tensor input) -> Tensor", rule, out)
struct ndtr_op : unary<Result::ToFloat, floating, Saves::Input> {
    template <class T> REEL_HD T f(T x) const { return T(0.5 * std::erfc(-double(x) * 0.70710678118654752440)); }
    template <class T> T df(T g, T x, T) const { return g * exp(square(x) * -0.5) * 0.39894228040143267794; }
};
/// phi(x) / Phi(x), the slope of log Phi.  d/dx = -y (x + y), which cannot overflow where erfcx does
struct log_ndtr_slope_op : in_double<special_math::ndtr_slope, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return -g * o * (x + o); }
};
/// Its logarithm.
REEL_OP("special.log_ndtr(Tensor input) -> Tensor", rule, out)
struct log_ndtr_op : in_double<special_math::log_ndtr, Saves::Input> {
    template <class T> T df(T g, T x, T) const { return g * apply("log_ndtr_backward", log_ndtr_slope_op{}, x); }
};
/// Its inverse, on [0, 1].
REEL_OP("special.ndtri(Tensor input) -> Tensor", rule, out, domain(0, 1))
struct ndtri_op : in_double<special_math::ndtri, Saves::Output> {
    template <class T> T df(T g, T, T o) const { return g * exp(square(o) * 0.5) * 2.50662827463100050242; }
};

} // namespace reel::pointwise
