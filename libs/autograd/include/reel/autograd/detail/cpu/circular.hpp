// Sine, cosine and tangent on vectors. float32 has forms of its own where products and sums are rounded once.
#pragma once

#include <reel/autograd/detail/cpu/reciprocal.hpp>
#include <reel/autograd/detail/cpu/vec_tail.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__FMA__) && defined(__AVX2__)
namespace detail {
inline constexpr float whole_from = 0x1.8p23f; // a sum with it ends in the nearest whole number
/// x - n pi, as is n pi/2 for half of n: pi in three parts, each cut off so that a zero keeps its sign.
inline VF without_pi(VF x, VF n) {
    return fma(n, VF(-1.07806059e-14f), fma(n, VF(-1.50995788e-07f), fma(n, VF(-3.1415925f), x)));
}
/// sin(r) for |r| <= pi/2, a minimax fit (6e-9 relative), and its opposite where `odd`'s last bit is set.
inline VF signed_sine(VF r, VF odd) {
    const VF z = r * r;
    const VF y = fma(r * z, polynomial(z, {2.6057503e-06f, -0.000198095891f, 0.00833306648f, -0.166666597f}), r);
    return from_bits<float>(bits(y) ^ (bits(odd) << 31));
}
/// Beyond this the three parts are not enough.
inline Mask<float> is_far(VF x) { return abs(x) > VF(1e5f); }
} // namespace detail

inline VF sin(VF x) {
    const VF m = detail::fma(x, VF(0.318309886f), VF(detail::whole_from)), n = m - VF(detail::whole_from);
    const VF near = select(x == VF(0.f), x, detail::signed_sine(detail::without_pi(x, n), m));
    const auto far = detail::is_far(x);
    if (!any(far)) [[likely]]
        return near;
    return select(far, tail::sin(x), near);
}
/// The sine of what is left of x beside an odd multiple of pi/2.
inline VF cos(VF x) {
    const VF m = detail::fma(x, VF(0.318309886f), VF(0.5f)) + VF(detail::whole_from);
    const VF n = (m - VF(detail::whole_from)) - VF(0.5f);
    const VF near = detail::signed_sine(detail::without_pi(x, n), m);
    const auto far = detail::is_far(x);
    if (!any(far)) [[likely]]
        return near;
    return select(far, tail::cos(x), near);
}
/// tan(r) for |r| <= pi/4, a minimax fit (2e-8 relative), or -1 / tan(r). Its slope grows to two there, so r comes with
/// what its rounding left out.
inline VF tan(VF x) {
    const VF m = detail::fma(x, VF(0.636619772f), VF(detail::whole_from)), n = m - VF(detail::whole_from);
    const VF most = detail::fma(n, VF(-1.57079625f), x), part = n * VF(7.54978942e-08f), r = most - part;
    const VF part_low = detail::fma(n, VF(7.54978942e-08f), -part);
    const VF r_low = detail::fma(n, VF(-5.39030295e-15f), ((most - r) - part) - part_low), z = r * r;
    const VF p = detail::polynomial(
        z, {0.00938764121f, 0.00311619672f, 0.0244324189f, 0.053410653f, 0.133388072f, 0.333331555f});
    const VF rest = detail::fma(r * z, p, r_low), y = r + rest, low = (r - y) + rest;
    const VF guess = detail::reciprocal_guess(y);
    const VF error = detail::fma(-low, guess, detail::fma(-y, guess, VF(1.f)));
    const Mask<float> odd{(bits(m) & 1) != 0};
    const VF near = select(odd, -detail::fma(error, guess, guess), select(x == VF(0.f), x, y));
    const auto far = detail::is_far(x);
    if (!any(far)) [[likely]]
        return near;
    return select(far, tail::tan(x), near);
}
inline VD sin(VD x) { return tail::sin(x); }
inline VD cos(VD x) { return tail::cos(x); }
inline VD tan(VD x) { return tail::tan(x); }
#else
using tail::sin, tail::cos, tail::tan;
#endif

} // namespace reel::cpu::REEL_ISA
