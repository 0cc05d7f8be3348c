// The complementary error function on vectors of float32.
#pragma once

#include <cstring>

#include <reel/autograd/detail/cpu/piecewise.hpp>
#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
namespace detail {
/// Minimax fits of exp(a^2) erfc(a), 7e-9 relative, the last piece to 10.21; the centres are floats whose value is
/// nearly one, too.
inline constexpr Pieces erfc_pieces = {
    {0.124999247f, 0.375002325f, 0.625005066f, 0.875017405f, 1.24999201f, 1.74999487f, 2.25002146f, 2.74994516f,
     3.49997902f, 4.49985743f, 5.5001359f, 6.50012302f, 7.99993515f, 9.60493374f},
    {{0.107382841f, 0.0461218506f, 0.0209040493f, 0.00995775033f, 0.0035970069f, 0.00104981358f, 0.000351464318f,
      0.000132092959f, 3.69524314e-05f, 8.55736198e-06f, 2.48697188e-06f, 8.57464272e-07f, 2.24322903e-07f,
      6.51015881e-08f},
     {-0.2015367f, -0.0928904638f, -0.0451460518f, -0.0230358113f, -0.00922725443f, -0.00305867544f, -0.00115493976f,
      -0.000486038101f, -0.000159117451f, -4.42656201e-05f, -1.51017321e-05f, -5.99987061e-06f, -1.88857121e-06f,
      -6.48181299e-07f},
     {0.345767438f, 0.172413215f, 0.090533182f, 0.0498262607f, 0.0220108349f, 0.00840414781f, 0.00361879682f,
      0.00171969063f, 0.000652616436f, 0.000221283073f, 8.94672776e-05f, 4.12057962e-05f, 1.53957681e-05f,
      6.37989478e-06f},
     {-0.543417096f, -0.295414925f, -0.168825895f, -0.10091006f, -0.0502144732f, -0.0222589988f, -0.0110014006f,
      -0.00593459699f, -0.00267267507f, -0.00110461412f, -0.000529393263f, -0.000282709632f, -0.000127769512f,
      -6.28884809e-05f},
     {0.759463847f, 0.455610335f, 0.286585182f, 0.187951654f, 0.106796771f, 0.0557639711f, 0.0319919176f, 0.0197595693f,
      0.0106613031f, 0.00541359838f, 0.00309079676f, 0.00192010356f, 0.00105312828f, 0.000616806909f},
     {-0.91007489f, -0.613984108f, -0.432358921f, -0.31582737f, -0.208823621f, -0.13097693f, -0.0884851292f,
      -0.0632398054f, -0.0413240381f, -0.0260174759f, -0.0177939255f, -0.0129049839f, -0.00861664768f, -0.00601872336f},
     {0.87322253f, 0.685855806f, 0.55681169f, 0.464306086f, 0.367824584f, 0.284972906f, 0.23108536f, 0.193665564f,
      0.155294523f, 0.122488514f, 0.1009598f, 0.0858040825f, 0.069985725f, 0.058426246f}}};
} // namespace detail
/// Within 1.7 units in the last place: exp(-a^2), with what the square's rounding left out, times its piece. Beyond
/// 10.21 is less than half of the least float.
inline VF erfc(VF x) {
    const VF a = minimum_of(VF(10.21f), abs(x)), square = a * a, left_out = detail::fma(a, a, -square);
    VF r;
    const VF n = detail::reduce(-square, r), e = detail::expm1_reduced(r - left_out);
    const detail::Piece p = detail::piece_of(detail::erfc_pieces, a);
    const VF rest = p.slope * p.t, y = detail::scale(p.value + detail::fma(p.value + rest, e, rest), n);
    return select(x < VF(0.f), VF(2.f) - y, y);
}
#else
namespace detail {
/// exp(-z) for z in [0, 150], by its series: 1e-11 relative.
inline VD wide_exp_of_minus(VD z) {
    constexpr double magic = 0x1.8p52; // a sum with it ends in the nearest whole number
    const VD t = z * VD(-1.4426950408889634) + VD(magic), n = t - VD(magic);
    const VD r = VD(n.v * VD(-0.6931471805599453).v - z.v);
    constexpr double c[] = {1. / 40320, 1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2, 1, 1};
    VD p(1. / 362880);
    for (const double k : c) p = VD(p.v * r.v + VD(k).v);
    return from_bits<double>(bits(p) + (bits(t) << 52));
}
/// erfc(x) = exp(-a^2) q(t) / (1 + 2a) for a = |x|, t = (a - 3) / (a + 3), q interpolated at twelve Chebyshev nodes of
/// a in [0, 10.2]: 1e-9 relative. Beyond it is less than half of the least float.
inline VD wide_erfc(VD x) {
    const VD size = abs(x), a = select(size > VD(10.2), VD(10.2), size), t = (a - VD(3.0)) / (a + VD(3.0));
    constexpr double c[] = {3.698943628240467e-05, -0.00017877597185293593, -0.0007398132267707949,
                            0.001947854952370501,  0.0025279479024525693,   -0.023787288137893638,
                            0.0683064417936708,    -0.11927164483815812,    0.12964536701032092,
                            -0.04756238429148228,  -0.13562111146880587,    1.2530080589497452};
    VD q(c[0]);
    for (int k = 1; k < 12; ++k) q = VD(q.v * t.v + VD(c[k]).v);
    const VD y = wide_exp_of_minus(a * a) * q / (a + a + VD(1.0));
    return select(x < VD(0.0), VD(2.0) - y, y);
}
} // namespace detail

/// Within 0.52 units in the last place: in float64, a half of the vector at a time.
inline VF erfc(VF x) {
    constexpr int half = VF::size / 2;
    typedef float Half __attribute__((vector_size(vector_bytes / 2)));
    float lane[VF::size];
    x.store(lane);
    for (int k = 0; k < VF::size; k += half) {
        Half h;
        std::memcpy(&h, lane + k, sizeof(h));
        h = __builtin_convertvector(detail::wide_erfc(VD(__builtin_convertvector(h, VD::Raw))).v, Half);
        std::memcpy(lane + k, &h, sizeof(h));
    }
    return VF::load(lane);
}
#endif

} // namespace reel::cpu::REEL_ISA
