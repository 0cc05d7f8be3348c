// Exponentials and logarithms on vectors of float64: forms of our own where an instruction takes a number apart and
// another puts it together (AVX-512), else the tail's.
#pragma once

#include <reel/autograd/detail/cpu/vec_tail.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
namespace detail {
/// x = n ln2 + r, |r| <= ln2/2, for |x| < 2^51.
inline VD reduce(VD x, VD& r) {
    const VD magic(0x1.8p52); // a sum with it ends in the nearest whole number
    const VD n = fma(x, VD(1.4426950408889634), magic) - magic;
    r = fma(n, VD(-0.69314718055994529), x);
    r = fma(n, VD(-2.3190468138462996e-17), r);
    return n;
}
/// (exp(r) - 1 - r) / r^2 for |r| <= ln2/2, a minimax fit: 4e-18 of exp. In pairs: one step after the other would wait.
inline VD expm1_quotient(VD r) {
    const VD z = r * r, z2 = z * z;
    const VD a = fma(r, VD(0.16666666666666413), VD(0.50000000000000111)),
             b = fma(r, VD(0.0083333333334943242), VD(0.041666666666530142)),
             c = fma(r, VD(0.00019841269506836452), VD(0.0013888888943635301)),
             d = fma(r, VD(2.755758617156976e-06), VD(2.4801493093544686e-05)),
             e = fma(r, VD(2.5000118949432689e-08), VD(2.7630250262489324e-07));
    return fma(fma(fma(e, z, d), z, c), z2, fma(b, z, a));
}
/// p 2^n for whole n, NaN if p is.
inline VD scale(VD p, VD n) { return VD((VD::Raw)_mm512_maskz_scalef_pd(0xff, (__m512d)p.v, (__m512d)n.v)); }
/// 0 where x < least, which a number made so small would be, in a hundred cycles on Intel's processors.
inline VD scale_unless(VD x, double least, VD p, VD n) {
    const __mmask8 kept = _mm512_cmp_pd_mask((__m512d)x.v, _mm512_set1_pd(least), _CMP_NLT_UQ);
    return VD((VD::Raw)_mm512_maskz_scalef_pd(kept, (__m512d)p.v, (__m512d)n.v));
}
inline VD reciprocal_guess(VD x) { return VD((VD::Raw)_mm512_maskz_rcp14_pd(0xff, (__m512d)x.v)); }
inline VD lookup(const double* table, __m512i index) {
    return VD((VD::Raw)_mm512_maskz_permutex2var_pd(0xff, _mm512_load_pd(table), index, _mm512_load_pd(table + 8)));
}
/// Pieces of m in [3/4, 3/2), by the four bits behind its first: numbers c next to the reciprocal of their middles (one
/// beside one, where nothing is to cancel), and -log c as sums, whose first parts end at 2^-42, so that a multiple of
/// ln2's is added to them exactly.
alignas(64) inline constexpr double log_factor[16] = {
    1,         0.9140625,  0.86328125, 0.8203125, 0.78125,    0.74609375, 0.7109375,  0.6796875,
    1.3046875, 1.25390625, 1.20703125, 1.1640625, 1.12109375, 1.0859375,  1.05078125, 1};
alignas(64) inline constexpr double log_leading[16] = {0,
                                                       0x1.700d30aeacp-4,
                                                       0x1.2d1610c868p-3,
                                                       0x1.95a5adcf7p-3,
                                                       0x1.f991c6cb3cp-3,
                                                       0x1.2bef07cdc9p-2,
                                                       0x1.5d5bddf596p-2,
                                                       0x1.8b639a88b3p-2,
                                                       -0x1.1058bf9ae5p-2,
                                                       -0x1.cf6354e09cp-3,
                                                       -0x1.815c0a1436p-3,
                                                       -0x1.371fc201e8p-3,
                                                       -0x1.d4313d66ccp-4,
                                                       -0x1.51b073f06p-4,
                                                       -0x1.95c830ec9p-5,
                                                       0};
alignas(64) inline constexpr double log_rest[16] = {0,
                                                    3.1218748807418837e-15,
                                                    8.7107837961224781e-15,
                                                    1.0634128304268335e-14,
                                                    -8.8998513565604442e-14,
                                                    4.7274529405144063e-14,
                                                    -1.156568624616423e-14,
                                                    -2.9052332860840534e-14,
                                                    7.3435913698677971e-14,
                                                    -4.1641267302872263e-14,
                                                    5.743078393200756e-14,
                                                    -1.0980754099855238e-13,
                                                    4.4889533522386993e-14,
                                                    -8.6145129360878145e-14,
                                                    4.9880309107981426e-14,
                                                    0};
/// (log(1 + r) - r) / r^2 for r in [-0.0334, 0.0625], a minimax fit: 1e-17.
inline VD log1p_quotient(VD r) {
    const VD z = r * r;
    const VD a = fma(r, VD(0.33333333333350346), VD(-0.49999999999999983)),
             b = fma(r, VD(0.19999999923219614), VD(-0.25000000000272288)),
             c = fma(r, VD(0.14285809873966715), VD(-0.16666665217664256)),
             d = fma(r, VD(0.11084476355026107), VD(-0.12502402776018059));
    return fma(fma(fma(fma(VD(-0.088274468998018066), z, d), z, c), z, b), z, a);
}
/// y, the logarithm of x, but where x is zero, infinite, negative or NaN: what it is there.
inline VD log_everywhere(VD x, VD y) {
    const __m512i what = _mm512_set1_epi64(0x03530422); // as for float32
    return VD((VD::Raw)_mm512_maskz_fixupimm_pd(0xff, (__m512d)y.v, (__m512d)x.v, what, 0));
}
} // namespace detail

/// Within 1.1 units in the last place.
inline VD exp(VD x) {
    VD r;
    const VD n = detail::reduce(maximum_of(VD(-746.0), minimum_of(VD(710.0), x)), r);
    return detail::scale_unless(x, -746.0, VD(1.0) + detail::fma(r * r, detail::expm1_quotient(r), r), n);
}
namespace detail {
/// x = m 2^n with m in [3/4, 3/2): n ln2 - log c + log(m c), c by m's piece; and what is left beside it.
template <class Left> VD logarithm(VD x, Left left) {
    const __m512d v = (__m512d)x.v;
    const VD m((VD::Raw)_mm512_maskz_getmant_pd(0xff, v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero));
    const VD e((VD::Raw)_mm512_maskz_getexp_pd(0xff, v)), n = select(m < VD(1.0), e + VD(1.0), e);
    const __m512i piece = (__m512i)(bits(m) >> 48);
    const VD r = fma(m, lookup(log_factor, piece), VD(-1.0));
    const VD leading = fma(n, VD(0x1.62e42fefa38p-1), lookup(log_leading, piece));
    const VD rest = left(fma(n, VD(5.4979230187083712e-14), lookup(log_rest, piece)));
    const VD sum = leading + r, low = (leading - sum) + r;
    return log_everywhere(x, sum + fma(r * r, log1p_quotient(r), low + rest));
}
} // namespace detail
/// Within 0.8 units in the last place.
inline VD log(VD x) {
    return detail::logarithm(x, [](VD rest) { return rest; });
}
/// log u for the number u next to 1 + x, and what its rounding left out. Within a unit in the last place. A call, as to
/// the tail, which takes less of the library.
[[gnu::noinline]] inline VD log1p(VD x) {
    const VD u = VD(1.0) + x, left_out = x - (u - VD(1.0));
    const VD y = detail::logarithm(u, [&](VD rest) {
        VD inverse = detail::reciprocal_guess(u);
        for (int i = 0; i < 2; ++i) inverse = detail::fma(detail::fma(-u, inverse, VD(1.0)), inverse, inverse);
        return detail::fma(left_out, inverse, rest);
    });
    return select(x == VD(0.0), x, y);
}
#else
using tail::exp, tail::log;
/// The tail's function is infinite near the largest number.
inline VD log1p(VD x) {
    const Mask<double> far = x > VD(1e18);
    if (!any(far)) return tail::log1p(x);
    return select(far, log(x), tail::log1p(x));
}
#endif

} // namespace reel::cpu::REEL_ISA
