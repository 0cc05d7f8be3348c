// Circular and hyperbolic functions.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

#define REEL_TRIG(name, what, forward, derivative)                                                                     \
    struct name : unary<Result::ToFloat, floating | complex, Saves::what> {                                            \
        template <class T> REEL_HD T f(T x) const { return forward; }                                                  \
        template <class T> T df(T g, [[maybe_unused]] T x, [[maybe_unused]] T o) const {                               \
            return g * conj(derivative);                                                                               \
        }                                                                                                              \
    };
REEL_TRIG(sin_op, Input, sin(x), cos(x))
REEL_TRIG(cos_op, Input, cos(x), -sin(x))
REEL_TRIG(tan_op, Output, tan(x), o* o + k<T>(1))
REEL_TRIG(asin_op, Input, asin(x), rsqrt(-(x* x) + k<T>(1)))
REEL_TRIG(acos_op, Input, acos(x), -rsqrt(-(x* x) + k<T>(1)))
REEL_TRIG(atan_op, Input, atan(x), reciprocal(x* x + k<T>(1)))
REEL_TRIG(sinh_op, Input, sinh(x), cosh(x))
REEL_TRIG(cosh_op, Input, cosh(x), sinh(x))
REEL_TRIG(asinh_op, Input, asinh(x), rsqrt(x* x + k<T>(1)))
REEL_TRIG(acosh_op, Input, acosh(x), rsqrt(x - k<T>(1)) * rsqrt(x + k<T>(1)))
REEL_TRIG(atanh_op, Input, atanh(x), reciprocal(-(x* x) + k<T>(1)))
#undef REEL_TRIG
/// d/dx = 1 - y^2
struct tanh_op : unary<Result::ToFloat, floating | complex, Saves::Output> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return tanh(x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return g * conj(k<T>(1) - o * o); }
};

using trigonometric_unary =
    op_list<sin_op, cos_op, tan_op, asin_op, acos_op, atan_op, sinh_op, cosh_op, asinh_op, acosh_op, atanh_op, tanh_op>;

} // namespace reel::pointwise
