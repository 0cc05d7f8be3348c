// What needs no approximation, on vectors: choosing, signs, extrema, square roots, rounding to whole numbers. Rules
// that are instantiated for vectors find these by their argument's namespace.
#pragma once

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

using VF = Vec<float>;
using VD = Vec<double>;

template <class T> Vec<T> where(Mask<T> m, Vec<T> a, Vec<T> b) { return select(m, a, b); }
template <class T> Vec<T> where(Mask<T> m, T a, Vec<T> b) { return select(m, Vec<T>(a), b); }
template <class T> Vec<T> where(Mask<T> m, Vec<T> a, T b) { return select(m, a, Vec<T>(b)); }
template <class T> Vec<T> where(Mask<T> m, std::type_identity_t<T> a, std::type_identity_t<T> b) {
    return select(m, Vec<T>(a), Vec<T>(b));
}
template <class T> Vec<T> abs(Vec<T> x) {
    constexpr IntOf<T> sign = IntOf<T>(1) << (sizeof(T) * 8 - 1);
    return from_bits<T>(bits(x) & ~sign);
}
template <class T> Vec<T> copysign(Vec<T> x, Vec<T> y) {
    constexpr IntOf<T> sign = IntOf<T>(1) << (sizeof(T) * 8 - 1);
    return from_bits<T>((bits(x) & ~sign) | (bits(y) & sign));
}
template <class T> Mask<T> isnan(Vec<T> x) { return x != x; }
template <class T> Vec<T> conj(Vec<T> x) { return x; }
template <class T> Vec<T> maximum(Vec<T> a, Vec<T> b) { return select(isnan(a), a, maximum_of(a, b)); }
template <class T> Vec<T> minimum(Vec<T> a, Vec<T> b) { return select(isnan(a), a, minimum_of(a, b)); }
template <class T> Vec<T> sqrt(Vec<T> x) {
    Vec<T> r;
    for (int i = 0; i < Vec<T>::size; ++i) r.v[i] = __builtin_sqrt(x.v[i]);
    return r;
}
inline VF sqrt(VF x) {
    VF r;
    for (int i = 0; i < VF::size; ++i) r.v[i] = __builtin_sqrtf(x.v[i]);
    return r;
}
template <class T> Vec<T> rsqrt(Vec<T> x) { return Vec<T>(T(1)) / sqrt(x); }
#define REEL_ROUNDING(name, f32, f64)                                                                                  \
    inline VF name(VF x) {                                                                                             \
        VF r;                                                                                                          \
        for (int i = 0; i < VF::size; ++i) r.v[i] = f32(x.v[i]);                                                       \
        return r;                                                                                                      \
    }                                                                                                                  \
    inline VD name(VD x) {                                                                                             \
        VD r;                                                                                                          \
        for (int i = 0; i < VD::size; ++i) r.v[i] = f64(x.v[i]);                                                       \
        return r;                                                                                                      \
    }
REEL_ROUNDING(floor, __builtin_floorf, __builtin_floor)
REEL_ROUNDING(ceil, __builtin_ceilf, __builtin_ceil)
REEL_ROUNDING(trunc, __builtin_truncf, __builtin_trunc)
REEL_ROUNDING(round, __builtin_nearbyintf, __builtin_nearbyint)
#undef REEL_ROUNDING

namespace detail {
/// a b + c, rounded once where the instruction set has that; whether the compiler makes it of two is a matter of flags.
inline VF fma(VF a, VF b, VF c) {
#if defined(__AVX512F__)
    return VF((VF::Raw)_mm512_fmadd_ps((__m512)a.v, (__m512)b.v, (__m512)c.v));
#elif defined(__FMA__) && defined(__AVX2__)
    return VF((VF::Raw)_mm256_fmadd_ps((__m256)a.v, (__m256)b.v, (__m256)c.v));
#else
    return VF(a.v * b.v + c.v);
#endif
}
inline VD fma(VD a, VD b, VD c) {
#if defined(__AVX512F__)
    return VD((VD::Raw)_mm512_fmadd_pd((__m512d)a.v, (__m512d)b.v, (__m512d)c.v));
#elif defined(__FMA__) && defined(__AVX2__)
    return VD((VD::Raw)_mm256_fmadd_pd((__m256d)a.v, (__m256d)b.v, (__m256d)c.v));
#else
    return VD(a.v * b.v + c.v);
#endif
}
/// The polynomial with these coefficients, the highest power's first.
template <class T, std::size_t n> Vec<T> polynomial(Vec<T> x, const T (&c)[n]) {
    Vec<T> p(c[0]);
    for (std::size_t i = 1; i < n; ++i) p = fma(p, x, Vec<T>(c[i]));
    return p;
}
} // namespace detail

} // namespace reel::cpu::REEL_ISA
