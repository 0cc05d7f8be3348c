// The error function's family and the normal distribution.
#include "ops/pointwise/elementwise.hpp"
#include "ops/special/special.hpp"

#include <cmath>
#include <limits>

#include <boost/math/special_functions/erf.hpp>

#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/ops/special/error_function.hpp>

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
} // namespace special_math

using namespace elementwise;

/// Inverse of erf on [-1, 1].  d/dx = sqrt(pi) / 2 e^(y^2)
REEL_OP("erfinv(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.erfinv"))
Tensor erfinv(const Tensor& input) {
    const Tensor y = map<Floats>(
        "erfinv", to_float(input), [](auto x) { return decltype(x)(special_math::erfinv(double(x))); }, input);
    record("erfinv", {input}, y, {input}, [](RuleContext& c) -> GradList {
        return {c.grad() * exp(square(erfinv(c.saved(0)))) * 0.88622692545275801365};
    });
    return y;
}
/// e^(x^2) erfc(x), without overflow.
REEL_OP("special.erfcx(Tensor input) -> Tensor", rule, out)
Tensor special_erfcx(const Tensor& input) {
    const Tensor y = map<Floats>(
        "special.erfcx", to_float(input),
        [](auto x) {
            using T = decltype(x);
            if (x > -2) return T(special_math::erfcx(double(x)));
            // e^(x^2) dominates; in the precision of T it shows the rounding of x^2.
            const T z = x * x;
            return 2 * std::exp(z) - T(special_math::erfcx(-double(x)));
        },
        input);
    record("special.erfcx", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        return {c.grad() * (c.saved(0) * 2 * c.saved(1) - 1.12837916709551257390)};
    });
    return y;
}
/// Distribution function of the standard normal.
REEL_OP("special.ndtr(Tensor input) -> Tensor", rule, out)
Tensor special_ndtr(const Tensor& input) {
    const Tensor y = map<Floats>(
        "special.ndtr", to_float(input),
        [](auto x) { return decltype(x)(0.5 * std::erfc(-double(x) * 0.70710678118654752440)); }, input);
    record("special.ndtr", {input}, y, {input}, [](RuleContext& c) -> GradList {
        return {c.grad() * exp(square(c.saved(0)) * -0.5) * 0.39894228040143267794};
    });
    return y;
}
namespace {
/// phi(x) / Phi(x), the slope of log Phi.  d/dx = -y (x + y), which cannot overflow where erfcx does
Tensor log_ndtr_slope(const Tensor& x) {
    const Tensor y = map<Floats>(
        "special.log_ndtr", x.scalar_type(),
        [](auto v) {
            return decltype(v)(0.79788456080286535588 / special_math::erfcx(double(v) * -0.70710678118654752440));
        },
        x);
    record("log_ndtr_backward", {x}, y, {x, y}, [](RuleContext& c) -> GradList {
        const Tensor y = c.saved(1);
        return {-c.grad() * y * (c.saved(0) + y)};
    });
    return y;
}
} // namespace
/// Its logarithm.
REEL_OP("special.log_ndtr(Tensor input) -> Tensor", rule, out)
Tensor special_log_ndtr(const Tensor& input) {
    const Tensor y = map<Floats>(
        "special.log_ndtr", to_float(input), [](auto x) { return decltype(x)(special_math::log_ndtr(double(x))); },
        input);
    record("special.log_ndtr", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {c.grad() * log_ndtr_slope(c.saved(0))}; });
    return y;
}
/// Its inverse, on [0, 1].
REEL_OP("special.ndtri(Tensor input) -> Tensor", rule, out)
Tensor special_ndtri(const Tensor& input) {
    const Tensor y = map<Floats>(
        "special.ndtri", to_float(input), [](auto x) { return decltype(x)(special_math::ndtri(double(x))); }, input);
    record("special.ndtri", {input}, y, {y}, [](RuleContext& c) -> GradList {
        return {c.grad() * exp(square(c.saved(0)) * 0.5) * 2.50662827463100050242};
    });
    return y;
}

} // namespace reel
