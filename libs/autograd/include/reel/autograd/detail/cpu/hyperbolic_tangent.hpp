// The hyperbolic tangent on vectors.
#pragma once

#include <reel/autograd/detail/cpu/exp_log.hpp>
#include <reel/autograd/detail/cpu/exp_log_double.hpp>
#include <reel/autograd/detail/cpu/piecewise.hpp>
#include <reel/autograd/detail/cpu/vec_tail.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
namespace detail {
/// Minimax fits of tanh, 5e-9 relative, the last piece to 9.3; the centres are floats whose tanh is nearly one, too.
inline constexpr Pieces tanh_pieces = {
    {0.f, 0.375000685f, 0.624986112f, 0.874995232f, 1.25002086f, 1.74999332f, 2.24994326f, 2.75006676f, 3.49993134f,
     4.49993181f, 5.50014305f, 6.49985695f, 7.99985695f, 9.15028572f},
    {{-0.0375649147f, -0.0691001639f, -0.0243385527f, 0.0128678204f, 0.0151039418f, 0.00210533175f, -0.000715882052f,
      -0.000545554212f, -0.000157683477f, -2.2612352e-05f, -3.08376434e-06f, -4.17787533e-07f, -2.33495427e-08f,
      -2.01283301e-09f},
     {0.14348498f, 0.0190008469f, -0.0543432608f, -0.0585518442f, -0.0196866989f, 0.00348429987f, 0.00397733459f,
      0.00191455823f, 0.000490287552f, 6.82887476e-05f, 9.27365727e-06f, 1.25643578e-06f, 7.06216525e-08f,
      6.03643713e-09f},
     {-0.00128269405f, 0.168110952f, 0.137905851f, 0.0607991405f, -0.0125878593f, -0.0235253051f, -0.0123243257f,
      -0.00509934593f, -0.00119750283f, -0.000164099096f, -2.22360668e-05f, -3.01179966e-06f, -1.47765761e-07f,
      -1.5034793e-08f},
     {-0.333259583f, -0.17860052f, -0.017845273f, 0.0818038583f, 0.108324885f, 0.0629286766f, 0.0270905513f,
      0.0105449026f, 0.00241210824f, 0.000328476424f, 4.44730213e-05f, 6.02289492e-06f, 2.94908347e-07f,
      3.00696179e-08f},
     {-1.55656505e-06f, -0.312337488f, -0.384014755f, -0.355133474f, -0.237864569f, -0.107141107f, -0.0425144248f,
      -0.0160801858f, -0.00363479159f, -0.000493470347f, -6.67842978e-05f, -9.04396347e-06f, -4.50749525e-07f,
      -4.51048017e-08f},
     {1.f, 0.871579528f, 0.692429841f, 0.504520297f, 0.280404836f, 0.113813475f, 0.0434697419f, 0.016212143f,
      0.00364145078f, 0.000493594795f, 6.67868517e-05f, 9.0440526e-06f, 4.50892855e-07f, 4.51048052e-08f},
     {0.f, 0.358357996f, 0.554590106f, 0.703903198f, 0.84828949f, 0.941374779f, 0.978023648f, 0.991860807f,
      0.998177648f, 0.999753177f, 0.999966621f, 0.99999547f, 0.999999762f, 1.f}}};
} // namespace detail
/// Within 1.2 units in the last place.
inline VF tanh(VF x) {
    const detail::Piece p = detail::piece_of(detail::tanh_pieces, minimum_of(VF(9.3f), abs(x)));
    return copysign(detail::fma(p.slope, p.t, p.value), x);
}
/// (e^2a - 1) / (e^2a + 1) with e^2a = 2^n (1 + p): numerator and denominator are sums of two numbers each, divided by
/// 2^n, and the quotient of their leading parts is corrected by what is left. Within 1.4 units in the last place. A
/// call, as to the tail: inlined, it takes more of the library than it saves of time.
[[gnu::noinline]] inline VD tanh(VD x) {
    const VD a = minimum_of(VD(19.5), abs(x)), two_a = a + a;
    VD r, n = detail::reduce(two_a, r);
    const VD rest = r * r * detail::expm1_quotient(r), p = r + rest, p_low = (r - p) + rest;
    const VD scale = detail::scale(VD(1.0), -n), minus = VD(1.0) - scale, plus = VD(1.0) + scale;
    const VD above = minus + p, above_low = ((minus - above) + p) + p_low;
    const VD below = plus + p, below_low = ((plus - below) + p) + (p_low + ((VD(1.0) - plus) + scale));
    const VD guess = detail::reciprocal_guess(below);
    const VD inverse = detail::fma(detail::fma(-below, guess, VD(1.0)), guess, guess), y = above * inverse;
    const VD left = detail::fma(-y, below, above) + detail::fma(-y, below_low, above_low);
    return copysign(detail::fma(left, inverse, y), x);
}
#else
inline VF tanh(VF x) {
    const VF a = abs(x);
    const VF e = expm1(VF(2.f) * select(a > VF(10.f), VF(10.f), a));
    const VF y = e / (e + VF(2.f));
    return select(isnan(x), x, copysign(y, x));
}
using tail::tanh;
#endif

} // namespace reel::cpu::REEL_ISA
