// Inverse circular functions on vectors; float32 has forms of its own.
#pragma once

#include <reel/autograd/detail/cpu/reciprocal.hpp>
#include <reel/autograd/detail/cpu/vec_tail.hpp>

namespace reel::cpu::REEL_ISA {

namespace detail {
/// half_pi and half_pi_rest add up to pi/2.
inline constexpr float half_pi = 1.57079637f, half_pi_rest = -4.37113883e-08f;
/// asin(s) - s for s in [0, 1/2], z = s^2: a minimax fit, 5e-9 of asin.
inline VF asin_rest(VF s, VF z) {
    return s * z * polynomial(z, {0.0421663262f, 0.0241795033f, 0.0454703793f, 0.0749529749f, 0.166667521f});
}
/// s and asin(s) - s of |x| up to 1/2, else of the sine of half the angle that is left to pi/2.
inline Mask<float> asin_parts(VF x, VF& s, VF& rest) {
    const VF a = abs(x);
    const auto high = a > VF(0.5f);
    const VF z = select(high, fma(VF(-0.5f), a, VF(0.5f)), a * a);
    s = select(high, quick_root(z), a);
    rest = asin_rest(s, z);
    return high;
}
} // namespace detail

/// Beyond 1 the root is NaN.
inline VF asin(VF x) {
    VF s, rest;
    const auto high = detail::asin_parts(x, s, rest);
    const VF left =
        VF(detail::half_pi) - detail::fma(VF(2.f), s, detail::fma(VF(2.f), rest, VF(-detail::half_pi_rest)));
    return copysign(select(high, left, s + rest), x);
}
/// pi/2 - asin(x) up to 1/2; above it twice the half angle, below -1/2 what is left of that to pi.
inline VF acos(VF x) {
    VF s, rest;
    const auto high = detail::asin_parts(x, s, rest), negative = x < VF(0.f);
    const VF times = select(high, select(negative, VF(2.f), VF(0.f)), VF(1.f)); // of pi/2
    const VF of_angle = select(high, select(negative, VF(-2.f), VF(2.f)), select(negative, VF(1.f), VF(-1.f)));
    return detail::fma(of_angle, s, times * VF(detail::half_pi)) +
           detail::fma(of_angle, rest, times * VF(detail::half_pi_rest));
}
/// Minimax fit on [0, 1], 2e-8 relative; beyond 1 it is pi/2 - atan(1 / x).
inline VF atan(VF x) {
    const VF a = abs(x);
    const auto high = a > VF(1.f);
    const VF t = select(high, -detail::quick_reciprocal(minimum_of(VF(1e30f), a)), a), z = t * t;
    const VF p = detail::polynomial(z, {0.00292067742f, -0.0163678527f, 0.0432117134f, -0.0755219907f, 0.106659964f,
                                        -0.142110527f, 0.199937731f, -0.333331525f});
    const VF y = detail::fma(t * z, p, t);
    return copysign(select(high, VF(detail::half_pi) + (y + VF(detail::half_pi_rest)), y), x);
}
using tail::acos, tail::asin, tail::atan;

} // namespace reel::cpu::REEL_ISA
