// Bessel and Airy functions of single numbers; the modified ones' other names.
#include <reel/autograd/ops/pointwise/bessel.hpp>
#include <reel/autograd/ops/special/bessel.hpp>
#include <reel/autograd/pointwise/special_math.hpp>
#include <reel/autograd/record.hpp>

#include <cmath>
#include <limits>

#include <boost/math/special_functions/airy.hpp>
#include <boost/math/special_functions/bessel.hpp>

namespace reel {

namespace special_math {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.14159265358979323846;
using namespace boost::math::policies;
using Quiet = policy<domain_error<errno_on_error>, pole_error<errno_on_error>, overflow_error<errno_on_error>,
                     evaluation_error<errno_on_error>, promote_double<false>>;

/// 1 -+ (m-1)/(8x) + (m-1)(m-9)/(2! (8x)^2) -+ ..., m = 4 nu^2: the factor that I and K share far out.
double far_series(int nu, double x, int sign) {
    const double m = 4.0 * nu * nu;
    double term = 1, total = 1;
    for (int k = 1; k < 30; ++k) {
        const double odd = 2.0 * k - 1, next = term * sign * (m - odd * odd) / (k * 8 * x);
        if (std::abs(next) < 1e-18) break;
        total += term = next;
    }
    return total;
}
double scaled_i(int nu, double x) { // x >= 0
    if (x == infinity) return 0;
    if (x > 100) return far_series(nu, x, -1) / std::sqrt(2 * pi * x);
    return boost::math::cyl_bessel_i(nu, x, Quiet()) * std::exp(-x);
}
double k_of(int nu, double x) {
    if (x != x) return x;
    if (x == 0) return infinity;
    if (x < 0) return not_a_number;
    if (x > 750) return 0;
    return boost::math::cyl_bessel_k(nu, x, Quiet());
}
double scaled_k(int nu, double x) {
    if (!(x > 100)) return k_of(nu, x) * std::exp(x);
    return x == infinity ? 0 : far_series(nu, x, 1) * std::sqrt(pi / (2 * x));
}
} // namespace
double i0e(double x) { return x != x ? x : scaled_i(0, std::abs(x)); }
double i1e(double x) { return x != x ? x : std::copysign(scaled_i(1, std::abs(x)), x); }
double i0(double x) {
    return std::abs(x) > 715 ? infinity : x != x ? x : boost::math::cyl_bessel_i(0, std::abs(x), Quiet());
}
double i1(double x) {
    return x != x              ? x
           : std::abs(x) > 715 ? std::copysign(infinity, x)
                               : std::copysign(boost::math::cyl_bessel_i(1, std::abs(x), Quiet()), x);
}
double k0(double x) { return k_of(0, x); }
double k1(double x) { return k_of(1, x); }
double k0e(double x) { return scaled_k(0, x); }
double k1e(double x) { return scaled_k(1, x); }
double airy_ai(double x) {
    if (x != x) return x;
    if (std::isinf(x)) return x > 0 ? 0 : not_a_number;
    // Boost takes the value at zero for all of this neighbourhood's inner part.
    if (std::abs(x) < 1e-3)
        return 0.35502805388781723926 * (1 + x * x * x / 6) - 0.25881940379280679840 * x * (1 + x * x * x / 12);
    return x > 103.892 ? 0 : boost::math::airy_ai(x, Quiet());
}
double j0(double x) { return std::isinf(x) ? 0 : ::j0(x); }
double j1(double x) { return std::isinf(x) ? 0 : ::j1(x); }
double y0(double x) { return x == 0 ? -infinity : x < 0 ? not_a_number : std::isinf(x) ? 0 : ::y0(x); }
double y1(double x) { return x == 0 ? -infinity : x < 0 ? not_a_number : std::isinf(x) ? 0 : ::y1(x); }
double airy_ai_prime(double x) {
    if (x != x) return x;
    if (std::isinf(x)) return x > 0 ? 0 : not_a_number;
    return x > 103.892 ? 0 : boost::math::airy_ai_prime(x, Quiet());
}
} // namespace special_math

REEL_OP("special.modified_bessel_i0(Tensor input) -> Tensor", composite, out)
Tensor special_modified_bessel_i0(const Tensor& input) { return i0(input); }
REEL_OP("special.modified_bessel_i1(Tensor input) -> Tensor", composite, out)
Tensor special_modified_bessel_i1(const Tensor& input) { return special_i1(input); }

} // namespace reel
