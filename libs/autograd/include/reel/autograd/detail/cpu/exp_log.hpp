// Exponentials and logarithms on vectors of float32: own polynomials, since programs are full of them.
#pragma once

#include <reel/autograd/detail/cpu/vec_arithmetic.hpp>

namespace reel::cpu::REEL_ISA {

namespace detail {
/// exp(r) - 1 for |r| <= ln2/2: r + r^2 q(r), q fitted for the least largest error (3e-9 of exp, 2e-8 of expm1).
inline VF expm1_reduced(VF r) {
    VF p(0.0013814596f);
    p = fma(p, r, VF(0.0083687171f));
    p = fma(p, r, VF(0.0416683881f));
    p = fma(p, r, VF(0.1666652063f));
    p = fma(p, r, VF(0.4999999345f));
    return fma(p * r, r, r);
}
/// x = n ln2 + r; n as a float.
inline VF reduce(VF x, VF& r) {
    const VF magic(0x1.8p23f); // a sum with it ends in the nearest whole number
    const VF n = fma(x, VF(1.44269504f), magic) - magic;
    r = fma(n, VF(-0.693359375f), x);
    r = fma(n, VF(2.12194440e-4f), r);
    return n;
}
inline VF pow2i(VF::RawInt n) { return from_bits<float>((n + 127) << 23); }
inline VF::RawInt to_int(VF x) { return __builtin_convertvector(x.v, VF::RawInt); }
/// p 2^n for whole n, NaN if p is.
inline VF scale(VF p, VF n) {
#if defined(__AVX512F__)
    return VF((VF::Raw)_mm512_maskz_scalef_ps(0xffff, (__m512)p.v, (__m512)n.v));
#else
    const VF::RawInt whole = to_int(n), half = whole >> 1; // two steps: neither factor leaves the exponent range
    return p * pow2i(half) * pow2i(whole - half);
#endif
}
/// The same for what becomes 0 where x < least, as masked scores do: made of a number, it would take Intel's processors
/// a hundred cycles.
inline VF scale_unless(VF x, float least, VF p, VF n) {
#if defined(__AVX512F__)
    const __mmask16 kept = _mm512_cmp_ps_mask((__m512)x.v, _mm512_set1_ps(least), _CMP_NLT_UQ);
    return VF((VF::Raw)_mm512_maskz_scalef_ps(kept, (__m512)p.v, (__m512)n.v));
#else
    (void)x, (void)least;
    return scale(p, n);
#endif
}
} // namespace detail

inline VF exp(VF x) {
    VF r;
    const VF n = detail::reduce(maximum_of(VF(-104.f), minimum_of(VF(89.f), x)), r);
    return detail::scale_unless(x, -104.f, detail::expm1_reduced(r) + VF(1.f), n);
}
/// 2^x = 2^n e^(r ln2) for x = n + r.
inline VF exp2(VF x) {
    const VF c = maximum_of(VF(-151.f), minimum_of(VF(129.f), x)), n = round(c);
    return detail::scale(detail::expm1_reduced((c - n) * VF(0.693147182f)) + VF(1.f), n);
}
inline VF expm1(VF x) {
    const VF c = select(x < VF(-30.f), VF(-30.f), select(x > VF(89.f), VF(89.f), x));
    VF r;
    const VF::RawInt n = detail::to_int(detail::reduce(c, r));
    const VF p = detail::expm1_reduced(r);
    const VF::RawInt half = n >> 1;
    // 2^n p + (2^n - 1) in units of 2^(n - half): 2^n itself is too large for the greatest results
    const VF a = detail::pow2i(half), b = detail::pow2i(n - half);
    const VF y = detail::fma(p, a, a - detail::pow2i(half - n)) * b;
    return select(isnan(x) | (x == VF(0.f)), x, y);
}
namespace detail {
/// x = m 2^n with m in [sqrt(1/2), sqrt(2)), for finite x above zero.
inline VF mantissa(VF x, VF& n) {
#if defined(__AVX512F__)
    const __m512 v = (__m512)x.v;
    const VF m((VF::Raw)_mm512_maskz_getmant_ps(0xffff, v, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero));
    const VF e((VF::Raw)_mm512_maskz_getexp_ps(0xffff, v));
    const auto high = m >= VF(1.41421354f);
    n = select(high, e + VF(1.f), e);
    return select(high, m * VF(0.5f), m);
#else
    const auto sub = x < VF(1.17549435e-38f);
    const VF scaled = select(sub, x * VF(8388608.f), x);
    // without the sign, whose difference would not fit
    VF::RawInt u = (bits(scaled) & 0x7fffffff) - 0x3f3504f3;
    const VF::RawInt e = u >> 23;
    n = VF(__builtin_convertvector(e, VF::Raw)) - select(sub, VF(23.f), VF(0.f));
    return from_bits<float>((u & 0x007fffff) + 0x3f3504f3);
#endif
}
/// y, the logarithm of x, but where x is zero, infinite, negative or NaN: what it is there.
inline VF log_everywhere(VF x, VF y) {
#if defined(__AVX512F__)
    // A digit for each kind of number, from the right: NaN, NaN, 0, 1, -inf, inf, negative, positive. 0 leaves y.
    const __m512i what = _mm512_set1_epi32(0x03530422);
    return VF((VF::Raw)_mm512_maskz_fixupimm_ps(0xffff, (__m512)y.v, (__m512)x.v, what, 0));
#else
    const VF inf(__builtin_inff());
    y = select(x == inf, inf, y);
    y = select(x == VF(0.f), -inf, y);
    return select((x < VF(0.f)) | isnan(x), VF(__builtin_nanf("")), y);
#endif
}
/// log m = f + tail for m = 1 + f of [sqrt(1/2), sqrt(2)): f keeps it exact near one.
inline VF log_tail(VF m) {
    // log m = 2 atanh(s), s = (m - 1) / (m + 1)
    const VF f = m - VF(1.f), s = f / (m + VF(1.f)), z = s * s;
    VF p(1.f / 11);
    p = fma(p, z, VF(1.f / 9));
    p = fma(p, z, VF(1.f / 7));
    p = fma(p, z, VF(1.f / 5));
    p = fma(p, z, VF(1.f / 3));
    const VF h = VF(0.5f) * f * f;
    // s = f - s (f^2/2 + ...)
    return s * (h + VF(2.f) * z * p) - h;
}
} // namespace detail

} // namespace reel::cpu::REEL_ISA
