// The slope of sin(z) / z on vectors, in double precision.
#pragma once

#include <iterator>

#include <reel/autograd/detail/cpu/in_double.hpp>

namespace reel::cpu::REEL_ISA {

/// d/dz (sin(z) / z): the power series within one, the quotient's derivative beyond.
inline VD slope_of_sine_over(VD z) {
    // z^m / (m! (m + 2)) with signs in turn, for m = 17, 15, ... 1
    constexpr double series[] = {-1 / (355687428096000.0 * 19),
                                 1 / (1307674368000.0 * 17),
                                 -1 / (6227020800.0 * 15),
                                 1 / (39916800.0 * 13),
                                 -1 / (362880.0 * 11),
                                 1 / (5040.0 * 9),
                                 -1 / (120.0 * 7),
                                 1 / (6.0 * 5),
                                 -1 / (1.0 * 3)};
    const VD z2 = z * z;
    VD near(series[0]);
    for (std::size_t i = 1; i < std::size(series); ++i) near = VD(near.v * z2.v + VD(series[i]).v);
    near = near * z;
    const auto far = abs(z) >= VD(1.0);
    if (!any(far | isnan(z))) return near;
    return select(abs(z) < VD(1.0), near, (cos(z) - sin(z) / z) / z);
}
/// d/dx (sin(pi x) / (pi x))
inline VD sinc_slope(VD x) {
    const VD pi(3.14159265358979323846);
    return pi * slope_of_sine_over(pi * x);
}
inline VF sinc_slope(VF x) {
    return in_double(x, [](VD v) { return sinc_slope(v); });
}

} // namespace reel::cpu::REEL_ISA
