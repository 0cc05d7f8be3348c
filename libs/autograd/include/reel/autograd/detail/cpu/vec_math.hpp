// Elementary functions on vectors: forms of our own for what programs are full of, the tail (SLEEF) for the rest.
#pragma once

#include <reel/autograd/detail/cpu/circular.hpp>
#include <reel/autograd/detail/cpu/error_function.hpp>
#include <reel/autograd/detail/cpu/exp_log.hpp>
#include <reel/autograd/detail/cpu/exp_log_double.hpp>
#include <reel/autograd/detail/cpu/hyperbolic_tangent.hpp>
#include <reel/autograd/detail/cpu/inverse_circular.hpp>
#include <reel/autograd/detail/cpu/logarithm.hpp>
#include <reel/autograd/detail/cpu/vec_tail.hpp>

namespace reel::cpu::REEL_ISA {

inline VF sigmoid(VF x) { return VF(1.f) / (VF(1.f) + exp(-x)); }
using tail::atan2, tail::atanh, tail::erfc, tail::exp2, tail::expm1, tail::fmod, tail::log10, tail::log2, tail::pow;
inline VD sigmoid(VD x) { return VD(1.0) / (VD(1.0) + exp(-x)); }
/// The tail's functions are infinite from where the square overflows; out there both are log(2 |x|).
template <class T> Vec<T> asinh(Vec<T> x) {
    const Vec<T> a = abs(x);
    const Mask<T> far = a > Vec<T>(T(1e9));
    if (!any(far)) return tail::asinh(x);
    return select(far, copysign(log(a) + Vec<T>(T(0.693147180559945309)), x), tail::asinh(x));
}
template <class T> Vec<T> acosh(Vec<T> x) {
    const Mask<T> far = x > Vec<T>(T(1e9));
    if (!any(far)) return tail::acosh(x);
    return select(far, log(x) + Vec<T>(T(0.693147180559945309)), tail::acosh(x));
}
/// The tail's functions are infinite from where exp(|x|) overflows, ln 2 too early; out there both are exp(|x|) / 2.
template <class T> Mask<T> beyond_exp(Vec<T> a) { return a > Vec<T>(sizeof(T) == 4 ? T(88) : T(709)); }
template <class T> Vec<T> half_exp(Vec<T> a) {
    const Vec<T> root = exp(a * Vec<T>(T(0.5)));
    return root * Vec<T>(T(0.5)) * root;
}
template <class T> Vec<T> sinh(Vec<T> x) {
    const Vec<T> a = abs(x);
    const Mask<T> far = beyond_exp(a);
    if (!any(far)) return tail::sinh(x);
    return select(far, copysign(half_exp(a), x), tail::sinh(x));
}
template <class T> Vec<T> cosh(Vec<T> x) {
    const Vec<T> a = abs(x);
    const Mask<T> far = beyond_exp(a);
    if (!any(far)) return tail::cosh(x);
    return select(far, half_exp(a), tail::cosh(x));
}

} // namespace reel::cpu::REEL_ISA
