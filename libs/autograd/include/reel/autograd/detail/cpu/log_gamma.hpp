// The logarithm of |Gamma| on vectors. float32 has a polynomial of its own where most numbers are, at most 2 ulp off;
// float64 goes number by number.
#pragma once

#include <cmath>
#include <iterator>
#include <limits>

#include <reel/autograd/detail/cpu/in_double.hpp>

namespace reel::cpu::REEL_ISA {

namespace detail {
/// d (d - 1) q + l, where q = log Gamma(x) / ((x - 1) (x - 2)) for the x = t + 1.5 in [0.5, 2.5]: a polynomial that
/// interpolates at Chebyshev nodes (1e-9), in two parts at its end.
inline VF lgamma_beside_zeros(VF d, VF t, VF l) {
    constexpr float c[] = {0.000172817669f, -0.000269864902f, -0.000398724944f, 0.000620171559f, 0.000675866517f,
                           -0.00105719185f, -0.000138513345f, 0.00020019255f,   0.000883314221f, -0.0014319095f,
                           0.00188151987f,  -0.00314762385f,  0.00545178061f,   -0.00943390888f, 0.0167967911f,
                           -0.0313080088f,  0.0629114062f,    -0.145959904f};
    VF p(c[0]);
    for (std::size_t i = 1; i < std::size(c); ++i) p = fma(p, t, VF(c[i]));
    p = fma(p, t, VF(-1.435999e-08f)); // the constant term's part below a float
    const VF last(0.48312896f), q = p + last, q_rest = p - (q - last);
    const VF zeros = fma(d, d, -d);
    return fma(zeros, q, fma(zeros, q_rest, l));
}
/// log |Gamma(x)| of every float x, by Stirling's series from 8 on, shifted there, and reflected for numbers below
/// zero. Absolute error below 1e-13 times what is added up: where that cancels, the caller looks again.
inline VD lgamma_by_stirling(VD x) {
    constexpr double series[] = {-691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
    constexpr double pi = 3.14159265358979323846, half_log_2pi = 0.91893853320467274178;
    const VD a = abs(x);
    const auto below = a < VD(8.0);
    const VD z = select(below, a + VD(8.0), a), w = VD(1.0) / z, w2 = w * w;
    VD product = a; // Gamma(a + 8) / Gamma(a)
    for (int i = 1; i < 8; ++i) product *= a + VD(double(i));
    VD s(series[0]);
    for (std::size_t i = 1; i < std::size(series); ++i) s = VD(s.v * w2.v + VD(series[i]).v);
    VD y = (z - VD(0.5)) * log(z) - z + VD(half_log_2pi) + s * w;
    if (any(below)) y = y - log(select(below, product, VD(1.0)));
    const auto negative = x < VD(0.0);
    if (any(negative)) { // Gamma(-a) = -pi / (a sin(pi a) Gamma(a))
        const VD sine = abs(sin(VD(pi) * (a - round(a))));
        y = select(negative, log(VD(pi) / (a * sine)) - y, y);
    }
    return select(a == VD(std::numeric_limits<double>::infinity()), a, y);
}
inline VF lgamma_anywhere(VF x) {
    const VF y = in_double(x, [](VD v) { return lgamma_by_stirling(v); });
    const auto cancelled = abs(y) < VF(0.000244f); // near a zero
    if (!any(cancelled)) return y;
    return select(cancelled, map_lanes(x, [](float v) { return float(std::lgamma(double(v))); }), y);
}
} // namespace detail

#if defined(__FMA__)
inline VF lgamma(VF x) {
    const auto small = x < VF(0.5f), known = (x > VF(0.f)) & (x <= VF(7.5f));
    const VF one(1.f);
    // Gamma(x) = (x - 1) ... (x - k) Gamma(x - k), and Gamma(x) = Gamma(x + 1) / x; the differences are exact
    VF y = x, product = one;
    for (int i = 0; i < 5; ++i) {
        const auto high = y > VF(2.5f);
        if (!any(high)) break;
        y = select(high, y - one, y);
        product = select(high, product * y, product);
    }
    const VF d = select(small, x, y - one), logarithm = log(select(small, x, product));
    VF r = detail::lgamma_beside_zeros(d, d - VF(0.5f), select(small, -logarithm, logarithm));
    if (any(!known)) r = select(known, r, detail::lgamma_anywhere(x));
    return r;
}
#else // rounded products would leave nothing right beside the zeros at 1 and 2
inline VF lgamma(VF x) { return detail::lgamma_anywhere(x); }
#endif
inline VD lgamma(VD x) {
    return map_lanes(x, [](double v) { return std::lgamma(v); });
}

} // namespace reel::cpu::REEL_ISA
