// Exponentials and logarithms by vectors; between them the running sum, element after element.
#include "cpu/reduce/log_cumsum.hpp"

#include <reel/autograd/detail/cpu/vec_math.hpp>

#include <algorithm>
#include <cmath>

namespace reel::cpu::REEL_ISA {

namespace {

bool go_on(const float* x, float* out, std::int64_t n, double& most, double& sum) {
    constexpr double apart = 600; // e^-600 is far from subnormal
    float low = x[0], high = x[0], numbers = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        numbers += x[i] - x[i]; // NaN for one that is not finite
    }
    const double top = sum > 0 ? std::max<double>(high, most) : high;
    if (numbers != 0 || top - double(low) > apart || (sum > 0 && top - most > apart)) return false;
    double s[LogCumsum::block + VD::size] = {};
    for (std::int64_t i = 0; i < n; ++i) s[i] = double(x[i]) - top;
    for (std::int64_t i = 0; i < n; i += VD::size) exp(VD::load(s + i)).store(s + i);
    double total = sum > 0 ? sum * std::exp(most - top) : 0;
    for (std::int64_t i = 0; i < n; ++i) s[i] = total += s[i];
    for (std::int64_t i = n; i < LogCumsum::block + VD::size; ++i) s[i] = 1;
    for (std::int64_t i = 0; i < n; i += VD::size) log(VD::load(s + i)).store(s + i);
    for (std::int64_t i = 0; i < n; ++i) out[i] = float(s[i] + top);
    most = top;
    sum = total;
    return true;
}

} // namespace

void register_log_cumsum() { log_cumsum.go_on = &go_on; }

} // namespace reel::cpu::REEL_ISA
