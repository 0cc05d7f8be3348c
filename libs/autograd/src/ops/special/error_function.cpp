// The error function's family and the normal distribution, for single numbers.
#include <reel/autograd/pointwise/special_math.hpp>

#include <cmath>
#include <limits>

#include <boost/math/special_functions/erf.hpp>

namespace reel {

namespace special_math {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double sqrt2 = 1.41421356237309504880, sqrt_pi = 1.77245385090551602730;
using namespace boost::math::policies;
using Quiet = policy<domain_error<errno_on_error>, pole_error<errno_on_error>, overflow_error<errno_on_error>,
                     evaluation_error<errno_on_error>, promote_double<false>>;
} // namespace

double erfinv(double x) {
    if (!(x >= -1 && x <= 1)) return not_a_number;
    if (std::abs(x) == 1) return std::copysign(infinity, x);
    return boost::math::erf_inv(x, Quiet());
}
double erfcx(double x) {
    if (x != x) return x;
    if (x < 10) return x < -27 ? infinity : double(std::exp((long double)(x)*x) * std::erfc((long double)(x)));
    // Continued fraction, converging fast out here.
    double f = x;
    for (int k = 60; k > 0; --k) f = x + 0.5 * k / f;
    return 1 / (sqrt_pi * f);
}
double ndtri(double p) {
    if (!(p >= 0 && p <= 1)) return not_a_number;
    if (p == 0) return -infinity;
    if (p == 1) return infinity;
    return -sqrt2 * boost::math::erfc_inv(2 * p, Quiet());
}
double log_ndtr(double x) {
    const double z = x / sqrt2;
    return x < -1 ? std::log(erfcx(-z) / 2) - z * z : std::log1p(-std::erfc(z) / 2);
}
double ndtr_slope(double x) { return 0.79788456080286535588 / erfcx(x * -0.70710678118654752440); }
} // namespace special_math

} // namespace reel
