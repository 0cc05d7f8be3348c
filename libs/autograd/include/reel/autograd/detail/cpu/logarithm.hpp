// Logarithms on vectors of float32 to the bases e, 2 and 10.
#pragma once

#include <reel/autograd/detail/cpu/exp_log.hpp>
#include <reel/autograd/detail/cpu/piecewise.hpp>
#include <reel/autograd/detail/cpu/reciprocal.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
namespace detail {
/// Logarithms to a base of 16 / (16 + i), from the seventh on of twice that. Each number is a sum of two; the first
/// parts of these and of the logarithm of two are so short that their multiples add up exactly.
struct LogTable {
    alignas(64) float leading[16];
    alignas(64) float rest[16];
    float two, two_rest, e, e_rest;
    float quotient[4]; ///< log(1 + r) / r^2 without log(e) r for |r| < 0.0334, a minimax fit: 4e-10
};
inline constexpr LogTable to_e = {
    {0.f, -0.0606384277f, -0.117797852f, -0.171844482f, -0.223144531f, -0.271942139f, -0.318450928f, 0.330230713f,
     0.287689209f, 0.246856689f, 0.207641602f, 0.169891357f, 0.133544922f, 0.098449707f, 0.0645446777f, 0.0317382812f},
    {0.f, 1.38059177e-05f, 1.48159061e-05f, -5.77450464e-06f, 9.79935749e-07f, 8.42318786e-06f, -2.80338418e-06f,
     1.09739804e-05f, -7.13653253e-06f, 3.38847849e-06f, -2.23678421e-06f, 7.67937308e-06f, -1.35292503e-05f,
     -9.63421826e-06f, -6.15659701e-06f, 1.04170649e-05f},
    0.693359375f,
    -0.000212194442f,
    1.f,
    0.f,
    {0.200263739f, -0.250231951f, 0.333333224f, -0.49999994f}};
inline constexpr LogTable to_2 = {
    {0.f, -0.0874633789f, -0.169921875f, -0.247924805f, -0.321929932f, -0.392303467f, -0.459442139f, 0.47644043f,
     0.415039062f, 0.356140137f, 0.299560547f, 0.245117188f, 0.192657471f, 0.142028809f, 0.0931091309f, 0.0458068848f},
    {0.f, 5.37655922e-07f, -3.12644238e-06f, -2.70875603e-06f, 1.83675331e-06f, -1.39559816e-05f, 1.05200343e-05f,
     -2.38574444e-06f, -1.56322119e-06f, 3.67350663e-06f, -2.65016098e-07f, -4.68966346e-06f, -1.23927612e-05f,
     -9.8037217e-06f, 2.73532095e-07f, -3.19515243e-06f},
    1.f,
    0.f,
    1.44269502f,
    1.92596303e-08f,
    {0.288919508f, -0.361008406f, 0.480898172f, -0.721347451f}};
inline constexpr LogTable to_10 = {{0.f, -0.0263214111f, -0.0511474609f, -0.0746307373f, -0.0969085693f, -0.118103027f,
                                    -0.138305664f, 0.143417358f, 0.124938965f, 0.107208252f, 0.0901794434f,
                                    0.0737915039f, 0.0579986572f, 0.042755127f, 0.0280303955f, 0.0137939453f},
                                   {0.f, -7.52758933e-06f, -5.06150991e-06f, -2.88099227e-06f, -1.44367209e-06f,
                                    3.71526585e-06f, 2.96589633e-06f, 4.78390393e-06f, -2.2823545e-07f, 1.71769477e-06f,
                                    -2.81301027e-06f, -5.28974533e-06f, -6.71024873e-06f, -3.14653221e-06f,
                                    -1.67190763e-06f, -5.6608269e-06f},
                                   0.301025391f,
                                   4.60503907e-06f,
                                   0.434294492f,
                                   -1.010305e-08f,
                                   {0.0869734362f, -0.108674355f, 0.144764781f, -0.217147216f}};
/// x = m 2^n with m in [1, 2), and c next to 1/m has four bits behind its first: log x is n log 2 - log c + log(m c).
/// Where c is at most 11/16, twice of it and n + 1 stand for it, so that near one nothing cancels.
template <const LogTable& base, class Left> VF logarithm(VF x, Left left) {
    const __m512 v = (__m512)x.v;
    const VF m((VF::Raw)_mm512_maskz_getmant_ps(0xffff, v, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero));
    const VF e((VF::Raw)_mm512_maskz_getexp_ps(0xffff, v));
    const VF::RawInt four = ((bits(reciprocal_guess(m)) >> 18) + 1) >> 1; // rounded; a NaN's bits must not overflow
    const VF c = from_bits<float>(four << 19), n = select(c < VF(0.7f), e + VF(1.f), e), r = fma(m, c, VF(-1.f));
    const VF leading = fma(n, VF(base.two), lookup(base.leading, (__m512i)four));
    VF rest = left(lookup(base.rest, (__m512i)four));
    if constexpr (base.two_rest != 0) rest = fma(n, VF(base.two_rest), rest);
    if constexpr (base.e_rest != 0) rest = fma(r, VF(base.e_rest), rest);
    rest = fma(r * r, polynomial(r, base.quotient), rest);
    rest = base.e == 1 ? r + rest : fma(r, VF(base.e), rest);
    return log_everywhere(x, leading + rest);
}
template <const LogTable& base> VF logarithm(VF x) {
    return logarithm<base>(x, [](VF rest) { return rest; });
}
} // namespace detail
inline VF log(VF x) { return detail::logarithm<detail::to_e>(x); }
/// log u for the float u next to 1 + x, and what its rounding left out.
inline VF log1p(VF x) {
    const VF u = VF(1.f) + x, left = x - (u - VF(1.f));
    const VF y = detail::logarithm<detail::to_e>(
        u, [&](VF rest) { return detail::fma(left, detail::quick_reciprocal(u), rest); });
    return select(x == VF(0.f), x, y);
}
/// Whole where x is a power of two.
inline VF log2(VF x) { return detail::logarithm<detail::to_2>(x); }
/// Whole where x is a power of ten.
inline VF log10(VF x) { return detail::logarithm<detail::to_10>(x); }
#else
/// log u for the float u next to 1 + x, and what its rounding left out.
[[gnu::noinline]] inline VF log1p(VF x) {
    VF n;
    const VF u = VF(1.f) + x, left = (x - (u - VF(1.f))) / u, m = detail::mantissa(u, n), f = m - VF(1.f);
    const VF y = detail::fma(n, VF(-2.12194440e-4f), detail::log_tail(m) + left) + f;
    return select(x == VF(0.f), x, detail::log_everywhere(u, detail::fma(n, VF(0.693359375f), y)));
}
inline VF log(VF x) {
    VF n;
    const VF m = detail::mantissa(x, n), f = m - VF(1.f);
    const VF y = detail::fma(n, VF(-2.12194440e-4f), detail::log_tail(m)) + f;
    return detail::log_everywhere(x, detail::fma(n, VF(0.693359375f), y));
}
namespace detail {
/// (log m) factor as a sum: the first part, which is `first` times the leading half of f, is exact.
inline VF log_times(VF m, VF factor, VF first, VF rest, VF& exact) {
    const VF f = m - VF(1.f), leading = from_bits<float>(bits(f) & int(0xfffff000));
    exact = leading * first;
    return fma(log_tail(m), factor, fma(f - leading, factor, leading * rest));
}
} // namespace detail
/// Whole where x is a power of two.
inline VF log2(VF x) {
    VF n, exact;
    const VF m = detail::mantissa(x, n);
    const VF y = detail::log_times(m, VF(1.44269502f), VF(1.4423828125f), VF(3.12228396e-4f), exact);
    return detail::log_everywhere(x, n + (exact + y));
}
/// Whole where x is a power of ten.
inline VF log10(VF x) {
    VF n, exact;
    const VF m = detail::mantissa(x, n);
    VF y = detail::log_times(m, VF(0.434294492f), VF(0.43408203125f), VF(2.12450657e-4f), exact);
    y = detail::fma(n, VF(7.90341687e-7f), y) + exact;
    return detail::log_everywhere(x, detail::fma(n, VF(0.301029205f), y));
}

#endif

} // namespace reel::cpu::REEL_ISA
