// The distribution function of the standard normal distribution on vectors: what GELU spends its time in.
#pragma once

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
namespace detail {
/// The upper tail 1 - Phi(a) on [i/4, (i+1)/4), i < 31, as a polynomial in 4a - i: coefficient k of interval i in
/// [k][i]. It interpolates erfc(a / sqrt 2) / 2 at the five Chebyshev nodes; 5e-8 absolute, 1e-3 relative at the far
/// end. From 7.75 on the tail is zero.
alignas(64) inline constexpr float normal_tail[5][32] = {
    {0.49999997f,     0.401293665f,    0.308537543f,    0.22662735f,
     0.158655271f,    0.105649784f,    0.0668072104f,   0.0400591642f,
     0.0227501355f,   0.0122244721f,   0.00620966358f,  0.00297976099f,
     0.00134989608f,  0.000577023602f, 0.000232628183f, 8.84167748e-05f,
     3.16709811e-05f, 1.06884045e-05f, 3.39762141e-06f, 1.01706291e-06f,
     2.86644166e-07f, 7.60471082e-08f, 1.89887839e-08f, 4.46194637e-09f,
     9.86526527e-10f, 2.05210987e-10f, 4.0156406e-11f,  7.39147112e-12f,
     1.27965206e-12f, 2.08355238e-13f, 3.19034722e-14f, 0.f},
    {-0.0997346491f,   -0.0966663584f,   -0.0880160779f,   -0.0752845407f,
     -0.0604931675f,   -0.0456628576f,   -0.0323799066f,   -0.0215696599f,
     -0.0134978797f,   -0.00793490466f,  -0.00438198727f,  -0.00227328041f,
     -0.00110786466f,  -0.00050719094f,  -0.000218125584f, -8.81234228e-05f,
     -3.34445213e-05f, -1.19235838e-05f, -3.99333794e-06f, -1.25635438e-06f,
     -3.71308005e-07f, -1.03086528e-07f, -2.68852656e-08f, -6.5867467e-09f,
     -1.51590229e-09f, -3.27728705e-10f, -6.65580022e-11f, -1.26977864e-11f,
     -2.275607e-12f,   -3.83095953e-13f, -6.05840654e-14f, 0.f},
    {-7.39880761e-06f, 0.00301540899f,  0.00549895223f,  0.00705932034f,
     0.00756543223f,   0.00713941781f,  0.00607522763f,  0.00472096354f,
     0.0033755675f,    0.0022316461f,   0.00136870251f,  0.000780596747f,
     0.000414703332f,  0.000205502787f, 9.50856993e-05f, 4.11135516e-05f,
     1.66231475e-05f,  6.28831231e-06f, 2.22659651e-06f, 7.38240942e-07f,
     2.29266988e-07f,  6.67097595e-08f, 1.81904287e-08f, 4.64932803e-09f,
     1.11405807e-09f,  2.50301502e-10f, 5.27371653e-11f, 1.0421275e-11f,
     1.93162608e-12f,  3.35865911e-13f, 5.47883001e-14f, 0.f},
    {0.00105971307f,   0.000959533092f,  0.000693813781f,  0.000339484774f,
     -1.05800746e-05f, -0.000280663342f, -0.000433176669f, -0.000471058389f,
     -0.000425130362f, -0.000335755554f, -0.000237741755f, -0.00015294319f,
     -9.01206149e-05f, -4.89011836e-05f, -2.45271403e-05f, -1.14024369e-05f,
     -4.92346453e-06f, -1.97771669e-06f, -7.39998711e-07f, -2.58177892e-07f,
     -8.40612699e-08f, -2.55604018e-08f, -7.26260074e-09f, -1.92925187e-09f,
     -4.79343343e-10f, -1.1143686e-10f,  -2.42481174e-11f, -4.93991523e-12f,
     -9.42462254e-13f, -1.68426267e-13f, -2.81997275e-14f, 0.f},
    {-2.39565052e-05f, -6.46962581e-05f, -8.68628194e-05f, -8.63706664e-05f,
     -6.71867892e-05f, -3.84927298e-05f, -1.02075164e-05f, 1.07175811e-05f,
     2.1778611e-05f,   2.42077822e-05f,  2.1128033e-05f,   1.57660543e-05f,
     1.04127976e-05f,  6.19613229e-06f,  3.35696336e-06f,  1.6672326e-06f,
     7.62613695e-07f,  3.22362268e-07f,  1.26246761e-07f,  4.58973197e-08f,
     1.55139315e-08f,  4.88168928e-09f,  1.43146439e-09f,  3.91495197e-10f,
     9.99361149e-11f,  2.38252005e-11f,  5.30761156e-12f,  1.10537556e-12f,
     2.15299499e-13f,  3.92330313e-14f,  6.69070478e-15f,  0.f},
};
} // namespace detail

/// Phi(x), to one unit in the last place of one; towards minus infinity it falls to zero without cancellation.
inline VF normal_cdf(VF x) {
    const VF scaled = minimum_of(VF(31.99f), abs(x) * VF(4.f));
    const __m512i i = _mm512_maskz_cvttps_epi32(0xffff, (__m512)scaled.v);
    const VF t = scaled - VF((VF::Raw)_mm512_maskz_cvtepi32_ps(0xffff, i));
    const auto coefficient = [&](int k) {
        return VF((VF::Raw)_mm512_permutex2var_ps(_mm512_load_ps(detail::normal_tail[k]), i,
                                                  _mm512_load_ps(detail::normal_tail[k] + 16)));
    };
    VF tail = coefficient(4);
    for (int k = 3; k >= 0; --k) tail = detail::fma(tail, t, coefficient(k));
    return select(x < VF(0.f), tail, VF(1.f) - tail);
}
#else
inline VF normal_cdf(VF x) { return detail::fma(erf(x * VF(0.70710678f)), VF(0.5f), VF(0.5f)); }
#endif
inline VD normal_cdf(VD x) { return (erf(x * VD(0.70710678118654752440)) + VD(1.0)) * VD(0.5); }

} // namespace reel::cpu::REEL_ISA
