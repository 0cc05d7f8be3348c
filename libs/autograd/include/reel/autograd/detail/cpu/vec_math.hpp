// Elementary functions on vectors: own polynomials for the hot float32 few, SLEEF for the tail, lanes for the rest (and
// for the tail of programs, which need not have SLEEF).
#pragma once

#if !defined(REEL_WITHOUT_SLEEF)
#include <sleef.h>
#endif

#include <cmath>

#include <reel/autograd/detail/cpu/exp_log.hpp>

namespace reel::cpu::REEL_ISA {

inline VF tanh(VF x) {
    const VF a = abs(x);
    const VF e = expm1(VF(2.f) * select(a > VF(10.f), VF(10.f), a));
    const VF y = e / (e + VF(2.f));
    return select(isnan(x), x, copysign(y, x));
}
inline VF sigmoid(VF x) { return VF(1.f) / (VF(1.f) + exp(-x)); }
inline VF erf(VF x) {
    const VF a = abs(x), z = x * x;
    // |x| < 1: the Taylor series of erf(x)/x in x^2.
    VF s(2.f / 1.7724538509f / 39916800.f / -23.f);
    constexpr float k = 1.1283791671f;
    constexpr float c[] = {k / (3628800.f * 21),
                           -k / (362880.f * 19),
                           k / (40320.f * 17),
                           -k / (5040.f * 15),
                           k / (720.f * 13),
                           -k / (120.f * 11),
                           k / (24.f * 9),
                           -k / (6.f * 7),
                           k / (2.f * 5),
                           -k / 3,
                           k};
    for (const float ci : c) s = detail::fma(s, z, VF(ci));
    const VF small = x * s;
    // 1 <= |x| < 4: 1 - exp(p(u)), p fitted to log erfc on [0.9, 4] (Chebyshev, 4e-10).
    const VF u = (select(a > VF(4.f), VF(4.f), a) - VF(2.45f)) * VF(1.f / 1.55f);
    constexpr float q[] = {4.48701978526548e-05f,  -0.00031473460203275215f, 0.0011434976012164233f,
                           -0.003956267376215967f, 0.013125106064204289f,    -0.04209197707789421f,
                           -2.2637135209974693f,   -8.15047939224288f,       -7.541539568272505f};
    VF p(q[0]);
    for (int i = 1; i < 9; ++i) p = detail::fma(p, u, VF(q[i]));
    const VF big = copysign(VF(1.f) - exp(p), x);
    const VF y = select(a < VF(1.f), small, select(a >= VF(4.f), copysign(VF(1.f), x), big));
    return select(isnan(x), x, y);
}
inline VD sigmoid(VD x);

#if defined(REEL_WITHOUT_SLEEF)
#elif defined(__AVX512F__)
#define REEL_SLEEF_F(name, ulp) Sleef_##name##f16_##ulp
#define REEL_SLEEF_D(name, ulp) Sleef_##name##d8_##ulp
#define REEL_SLEEF_EXACT_F(name) Sleef_##name##f16
#define REEL_SLEEF_EXACT_D(name) Sleef_##name##d8
#elif defined(__AVX2__)
#define REEL_SLEEF_F(name, ulp) Sleef_##name##f8_##ulp
#define REEL_SLEEF_D(name, ulp) Sleef_##name##d4_##ulp
#define REEL_SLEEF_EXACT_F(name) Sleef_##name##f8
#define REEL_SLEEF_EXACT_D(name) Sleef_##name##d4
#elif defined(__SSE2__)
#define REEL_SLEEF_F(name, ulp) Sleef_##name##f4_##ulp
#define REEL_SLEEF_D(name, ulp) Sleef_##name##d2_##ulp
#define REEL_SLEEF_EXACT_F(name) Sleef_##name##f4
#define REEL_SLEEF_EXACT_D(name) Sleef_##name##d2
#endif

#if defined(REEL_SLEEF_F)
#define REEL_TAIL_F(name, ulp)                                                                                         \
    inline VF name(VF x) { return VF((VF::Raw)REEL_SLEEF_F(name, ulp)(x.v)); }
#define REEL_TAIL_D(name, ulp)                                                                                         \
    inline VD name(VD x) { return VD((VD::Raw)REEL_SLEEF_D(name, ulp)(x.v)); }
#define REEL_TAIL2(name, ulp)                                                                                          \
    inline VF name(VF x, VF y) { return VF((VF::Raw)REEL_SLEEF_F(name, ulp)(x.v, y.v)); }                              \
    inline VD name(VD x, VD y) { return VD((VD::Raw)REEL_SLEEF_D(name, ulp)(x.v, y.v)); }
#else
#define REEL_TAIL_F(name, ulp)                                                                                         \
    inline VF name(VF x) {                                                                                             \
        return map_lanes(x, [](float v) { return std::name(v); });                                                     \
    }
#define REEL_TAIL_D(name, ulp)                                                                                         \
    inline VD name(VD x) {                                                                                             \
        return map_lanes(x, [](double v) { return std::name(v); });                                                    \
    }
#define REEL_TAIL2(name, ulp)                                                                                          \
    inline VF name(VF x, VF y) {                                                                                       \
        return map_lanes(x, y, [](float a, float b) { return std::name(a, b); });                                      \
    }                                                                                                                  \
    inline VD name(VD x, VD y) {                                                                                       \
        return map_lanes(x, y, [](double a, double b) { return std::name(a, b); });                                    \
    }
#endif
#if defined(REEL_SLEEF_F)
#define REEL_EXACT2(name)                                                                                              \
    inline VF name(VF x, VF y) { return VF((VF::Raw)REEL_SLEEF_EXACT_F(name)(x.v, y.v)); }                             \
    inline VD name(VD x, VD y) { return VD((VD::Raw)REEL_SLEEF_EXACT_D(name)(x.v, y.v)); }
#else
#define REEL_EXACT2(name) REEL_TAIL2(name, )
#endif
#define REEL_TAIL(name, ulp) REEL_TAIL_F(name, ulp) REEL_TAIL_D(name, ulp)
REEL_TAIL_D(exp, u10)
REEL_TAIL_D(expm1, u10)
REEL_TAIL_D(log, u10)
REEL_TAIL_D(tanh, u10)
REEL_TAIL_D(erf, u10)
REEL_TAIL_D(exp2, u10)
REEL_TAIL_D(log2, u10)
REEL_TAIL_D(log10, u10)
REEL_TAIL(sin, u10)
REEL_TAIL(cos, u10)
REEL_TAIL(tan, u10)
REEL_TAIL(asin, u10)
REEL_TAIL(acos, u10)
REEL_TAIL(atan, u10)
namespace tail {
REEL_TAIL_D(log1p, u10)
REEL_TAIL(sinh, u10)
REEL_TAIL(cosh, u10)
REEL_TAIL(asinh, u10)
REEL_TAIL(acosh, u10)
REEL_TAIL2(hypot, u05)
} // namespace tail
REEL_TAIL(atanh, u10)
REEL_TAIL_D(erfc, u15)
REEL_TAIL2(atan2, u10)
REEL_TAIL2(pow, u10)
REEL_EXACT2(fmod)
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
/// The tail's function is infinite near the largest number.
inline VD log1p(VD x) {
    const Mask<double> far = x > VD(1e18);
    if (!any(far)) return tail::log1p(x);
    return select(far, log(x), tail::log1p(x));
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
#undef REEL_TAIL
#undef REEL_TAIL_F
#undef REEL_TAIL_D
#undef REEL_TAIL2
#undef REEL_EXACT2
#undef REEL_SLEEF_EXACT_F
#undef REEL_SLEEF_EXACT_D

} // namespace reel::cpu::REEL_ISA
