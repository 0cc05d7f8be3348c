// The first two derivatives of log Gamma on vectors: float32 in double precision, rounded once; float64 number by
// number.
#pragma once

#include <iterator>
#include <limits>

#include <reel/autograd/detail/cpu/in_double.hpp>
#include <reel/autograd/pointwise/special_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace detail {
inline constexpr double pi = 3.14159265358979323846;

/// a (a + 1) ... (a + 7) and its first two derivatives by a: what shifts an argument by 8.
struct RisingProduct {
    VD p, p1, p2;
    explicit RisingProduct(VD a) : p(a), p1(1.0), p2(0.0) {
        for (int i = 1; i < 8; ++i) {
            const VD t = a + VD(double(i));
            p2 = p2 * t + VD(2.0) * p1;
            p1 = p1 * t + p;
            p = p * t;
        }
    }
};
/// c[0] + w2 (c[1] + w2 (c[2] + ...))
template <std::size_t n> VD polynomial(const double (&c)[n], VD w2) {
    VD s(c[n - 1]);
    for (std::size_t i = n - 1; i-- > 0;) s = s * w2 + VD(c[i]);
    return s;
}
/// psi(x) of every float x: the asymptotic series from 8 on, shifted there, reflected below zero. Absolute error below
/// 1e-13 times what is added up: near a zero of psi the caller looks again.
inline VD digamma_by_series(VD x) {
    constexpr double c[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760};
    const auto negative = x < VD(0.0);
    const VD a = select(negative, VD(1.0) - x, x);
    const auto below = a < VD(8.0);
    const VD z = select(below, a + VD(8.0), a), w = VD(1.0) / z, w2 = w * w;
    VD y = log(z) - VD(0.5) * w - w2 * polynomial(c, w2);
    if (any(below)) {
        const RisingProduct shift(a);
        y = select(below, y - shift.p1 / shift.p, y);
    }
    if (any(negative)) { // psi(1 - a) = psi(a) + pi / tan(pi a)
        const VD r = VD(pi) * (x - round(x));
        const VD reflected = y - VD(pi) * cos(r) / sin(r);
        y = select(negative, select(r == VD(0.0), VD(std::numeric_limits<double>::quiet_NaN()), reflected), y);
    }
    return select(x == VD(0.0), copysign(VD(std::numeric_limits<double>::infinity()), -x), y);
}
/// psi'(x) of every float x, in the same way; it has no zeros.
inline VD trigamma_by_series(VD x) {
    constexpr double c[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730};
    const auto negative = x < VD(0.0);
    const VD a = select(negative, VD(1.0) - x, x);
    const auto below = a < VD(8.0);
    const VD z = select(below, a + VD(8.0), a), w = VD(1.0) / z, w2 = w * w;
    VD y = w + w2 * VD(0.5) + w * w2 * polynomial(c, w2);
    if (any(below)) {
        const RisingProduct shift(a);
        y = select(below, y + (shift.p1 * shift.p1 - shift.p * shift.p2) / (shift.p * shift.p), y);
    }
    if (any(negative)) {
        const VD s = sin(VD(pi) * (x - round(x)));
        y = select(negative, VD(pi * pi) / (s * s) - y, y);
    }
    return y;
}
} // namespace detail

inline VF digamma(VF x) {
    const VF y = in_double(x, [](VD v) { return detail::digamma_by_series(v); });
    const auto cancelled = abs(y) < VF(0.000244f);
    if (!any(cancelled)) return y;
    return select(cancelled, map_lanes(x, [](float v) { return float(special_math::digamma(double(v))); }), y);
}
inline VF trigamma(VF x) {
    return in_double(x, [](VD v) { return detail::trigamma_by_series(v); });
}
inline VD digamma(VD x) { return map_lanes(x, &special_math::digamma); }
inline VD trigamma(VD x) { return map_lanes(x, &special_math::trigamma); }

} // namespace reel::cpu::REEL_ISA
