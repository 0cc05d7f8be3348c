// The inverse of the error function on vectors. float32 has a polynomial of its own, at most 2.2 ulp off; float64 goes
// number by number.
#pragma once

#include <limits>

#include <reel/autograd/detail/cpu/vec_math.hpp>
#include <reel/autograd/pointwise/special_math.hpp>

namespace reel::cpu::REEL_ISA {

/// erfinv(x) / x is smooth in w = -log(1 - x^2) (M. Giles, 2010): near zero in w, from w = 5 on in its root. The
/// polynomials interpolate it at Chebyshev nodes.
inline VF erfinv(VF x) {
    constexpr float near[] = {-8.93192592e-09f, 2.33359672e-08f, 4.68131347e-07f, -3.46398527e-06f, -4.97241969e-06f,
                              0.000218349386f,  -0.00125272639f, -0.00417739288f, 0.246640279f,     1.50140936f};
    constexpr float far[] = {-3.26353201e-05f, 0.000127194447f, -0.000118710194f, -0.000309768998f,
                             0.00128353058f,   -0.00257807935f, 0.00388214394f,   -0.00540721645f,
                             0.00715981595f,   1.00361969f,     2.95132858f};
    const VF w = -log((VF(1.f) - x) * (VF(1.f) + x));
    const auto is_far = w > VF(5.f);
    const VF t = w - VF(2.50000024f); // where the constant term is a float
    VF p(near[0]);
    for (std::size_t i = 1; i < std::size(near); ++i) p = detail::fma(p, t, VF(near[i]));
    if (any(is_far)) {
        const VF s = sqrt(w) - VF(3.118034f);
        VF q(far[0]);
        for (std::size_t i = 1; i < std::size(far); ++i) q = detail::fma(q, s, VF(far[i]));
        p = select(is_far, q, p);
    }
    const VF end = abs(x), infinity(std::numeric_limits<float>::infinity());
    const VF y = select(end == VF(1.f), copysign(infinity, x), x * p);
    return select(end <= VF(1.f), y, VF(std::numeric_limits<float>::quiet_NaN()));
}
inline VD erfinv(VD x) { return map_lanes(x, &special_math::erfinv); }

} // namespace reel::cpu::REEL_ISA
