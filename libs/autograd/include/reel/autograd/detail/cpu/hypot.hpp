// The length of two sides on vectors.
#pragma once

#include <reel/autograd/detail/cpu/in_double.hpp>

namespace reel::cpu::REEL_ISA {

inline VD hypot(VD x, VD y) { return tail::hypot(x, y); }
/// In float64, where no square of a float is too large or too small: half a unit in the last place.
inline VF hypot(VF x, VF y) {
    const VF r = in_double(x, y, [](VD a, VD b) { return sqrt(a * a + b * b); }), infinity(__builtin_inff());
    return select((abs(x) == infinity) | (abs(y) == infinity), infinity, r); // beside NaN, too
}

} // namespace reel::cpu::REEL_ISA
