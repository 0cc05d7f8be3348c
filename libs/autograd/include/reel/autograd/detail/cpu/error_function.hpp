// The error function on vectors.
#pragma once

#include <reel/autograd/detail/cpu/exp_log.hpp>
#include <reel/autograd/detail/cpu/piecewise.hpp>
#include <reel/autograd/detail/cpu/vec_tail.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
namespace detail {
/// Minimax fits of erf, 9e-9 relative, the last piece to 4; the centres are floats whose erf is nearly one, too.
/// The first piece is that of erf(a) - a.
inline constexpr Pieces erf_pieces = {
    {0.f, 0.375003576f, 0.625003755f, 0.874991179f, 1.25003004f, 1.74999464f, 2.25006938f, 2.75001574f, 3.50007153f},
    {{-0.019444203f, -0.0496231392f, -0.0412381887f, -0.0105199292f, 0.0205078069f, 0.00906736217f, -0.00276832143f,
      -0.0016688396f, -9.73872811e-05f},
     {0.11820706f, 0.0453306772f, -0.0270387642f, -0.066712454f, -0.0467839725f, 0.00597244827f, 0.0105816834f,
      0.00282534608f, 0.000109224566f},
     {-0.000688134343f, 0.166577935f, 0.176459596f, 0.112402156f, -0.00613168674f, -0.0481072031f, -0.0190854836f,
      -0.00325740781f, -6.42803352e-05f},
     {-0.376086384f, -0.234872758f, -0.0556720793f, 0.0929157659f, 0.167523265f, 0.0901784152f, 0.0217215363f,
      0.00275803078f, 3.89002926e-05f},
     {-8.51816537e-07f, -0.367634803f, -0.477187842f, -0.459154397f, -0.295636773f, -0.092357628f, -0.0160656236f,
      -0.00161213835f, -1.90645023e-05f},
     {0.128379167f, 0.980350196f, 0.763495982f, 0.524753153f, 0.236503437f, 0.0527758338f, 0.00714007299f,
      0.000586242997f, 5.49582273e-06f},
     {0.f, 0.404120415f, 0.623243749f, 0.784070432f, 0.922907233f, 0.986671388f, 0.998537779f, 0.999899387f,
      0.999999285f}}};
} // namespace detail
/// Within 1.2 units in the last place; from 3.99 on it rounds to one.
inline VF erf(VF x) {
    const VF a = minimum_of(VF(3.99f), abs(x));
    const detail::Piece p = detail::piece_of(detail::erf_pieces, a);
    return copysign(detail::fma(p.slope, p.t, select(p.t == a, a, p.value)), x); // the first piece's centre is zero
}
#else
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
#endif
using tail::erf;

} // namespace reel::cpu::REEL_ISA
