// Elementary functions as SLEEF has them, or lane by lane where there is no SLEEF (as in programs, which need not have
// it): what has no form of our own, and what those fall back on.
#pragma once

#if !defined(REEL_WITHOUT_SLEEF)
#include <sleef.h>
#endif

#include <cmath>

#include <reel/autograd/detail/cpu/vec_arithmetic.hpp>

namespace reel::cpu::REEL_ISA::tail {

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
REEL_TAIL_D(log1p, u10)
REEL_TAIL_D(tanh, u10)
REEL_TAIL_D(erf, u10)
REEL_TAIL_D(erfc, u15)
REEL_TAIL_D(exp2, u10)
REEL_TAIL_D(log2, u10)
REEL_TAIL_D(log10, u10)
REEL_TAIL(sin, u10)
REEL_TAIL(cos, u10)
REEL_TAIL(tan, u10)
REEL_TAIL_D(asin, u10)
REEL_TAIL_D(acos, u10)
REEL_TAIL_D(atan, u10)
REEL_TAIL(sinh, u10)
REEL_TAIL(cosh, u10)
REEL_TAIL(asinh, u10)
REEL_TAIL(acosh, u10)
REEL_TAIL(atanh, u10)
REEL_TAIL2(hypot, u05)
REEL_TAIL2(atan2, u10)
REEL_TAIL2(pow, u10)
REEL_EXACT2(fmod)
#undef REEL_TAIL
#undef REEL_TAIL_F
#undef REEL_TAIL_D
#undef REEL_TAIL2
#undef REEL_EXACT2
#undef REEL_SLEEF_EXACT_F
#undef REEL_SLEEF_EXACT_D
#undef REEL_SLEEF_F
#undef REEL_SLEEF_D

} // namespace reel::cpu::REEL_ISA::tail
