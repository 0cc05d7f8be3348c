// Bessel and Airy functions.
#include "ops/pointwise/elementwise.hpp"
#include "ops/special/special.hpp"

#include <cmath>
#include <limits>

#include <boost/math/special_functions/airy.hpp>
#include <boost/math/special_functions/bessel.hpp>

#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/ops/special/bessel.hpp>

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
} // namespace special_math

using namespace elementwise;

namespace {
template <double (*F)(double)> Tensor mapped(const char* name, const Tensor& input) {
    return map<Floats>(
        name, to_float(input), [](auto x) { return decltype(x)(F(double(x))); }, input);
}
double bessel_j0(double x) { return std::isinf(x) ? 0 : ::j0(x); }
double bessel_j1(double x) { return std::isinf(x) ? 0 : ::j1(x); }
double bessel_y0(double x) {
    return x == 0 ? -special_math::infinity : x < 0 ? special_math::not_a_number : std::isinf(x) ? 0 : ::y0(x);
}
double bessel_y1(double x) {
    return x == 0 ? -special_math::infinity : x < 0 ? special_math::not_a_number : std::isinf(x) ? 0 : ::y1(x);
}
/// f(x)/x with its limit at zero.
Tensor over_x(const Tensor& f, const Tensor& x, double limit) {
    const Tensor zero = x == 0;
    return where(zero, limit, f / masked_fill(x, zero, 1));
}
} // namespace

REEL_OP("i0(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.i0"))
Tensor i0(const Tensor& input) {
    const Tensor y = mapped<special_math::i0>("i0", input);
    record("i0", {input}, y, {input}, [](RuleContext& c) -> GradList { return {c.grad() * special_i1(c.saved(0))}; });
    return y;
}
/// e^-|x| I0(x)
REEL_OP("special.i0e(Tensor input) -> Tensor", rule, out)
Tensor special_i0e(const Tensor& input) {
    const Tensor y = mapped<special_math::i0e>("special.i0e", input);
    record("special.i0e", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        return {c.grad() * (special_i1e(c.saved(0)) - sgn(c.saved(0)) * c.saved(1))};
    });
    return y;
}
REEL_OP("special.i1(Tensor input) -> Tensor", rule, out)
Tensor special_i1(const Tensor& input) {
    const Tensor y = mapped<special_math::i1>("special.i1", input);
    record("special.i1", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        return {c.grad() * (i0(c.saved(0)) - over_x(c.saved(1), c.saved(0), 0.5))};
    });
    return y;
}
/// e^-|x| I1(x)
REEL_OP("special.i1e(Tensor input) -> Tensor", rule, out)
Tensor special_i1e(const Tensor& input) {
    const Tensor y = mapped<special_math::i1e>("special.i1e", input);
    record("special.i1e", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0), y = c.saved(1);
        return {c.grad() * (special_i0e(x) - y * sgn(x) - over_x(y, x, 0.5))};
    });
    return y;
}
REEL_OP("special.modified_bessel_i0(Tensor input) -> Tensor", composite, out)
Tensor special_modified_bessel_i0(const Tensor& input) { return i0(input); }
REEL_OP("special.modified_bessel_i1(Tensor input) -> Tensor", composite, out)
Tensor special_modified_bessel_i1(const Tensor& input) { return special_i1(input); }
REEL_OP("special.modified_bessel_k0(Tensor input) -> Tensor", rule, out)
Tensor special_modified_bessel_k0(const Tensor& input) {
    const Tensor y = mapped<special_math::k0>("special.modified_bessel_k0", input);
    record("special.modified_bessel_k0", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {-c.grad() * special_modified_bessel_k1(c.saved(0))}; });
    return y;
}
REEL_OP("special.modified_bessel_k1(Tensor input) -> Tensor", rule, out)
Tensor special_modified_bessel_k1(const Tensor& input) {
    const Tensor y = mapped<special_math::k1>("special.modified_bessel_k1", input);
    record("special.modified_bessel_k1", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        return {-c.grad() * (special_modified_bessel_k0(c.saved(0)) + c.saved(1) / c.saved(0))};
    });
    return y;
}
/// e^x K0(x)
REEL_OP("special.scaled_modified_bessel_k0(Tensor x) -> Tensor", rule, out)
Tensor special_scaled_modified_bessel_k0(const Tensor& input) {
    const Tensor y = mapped<special_math::k0e>("special.scaled_modified_bessel_k0", input);
    record("special.scaled_modified_bessel_k0", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        return {c.grad() * (c.saved(1) - special_scaled_modified_bessel_k1(c.saved(0)))};
    });
    return y;
}
/// e^x K1(x)
REEL_OP("special.scaled_modified_bessel_k1(Tensor x) -> Tensor", rule, out)
Tensor special_scaled_modified_bessel_k1(const Tensor& input) {
    const Tensor y = mapped<special_math::k1e>("special.scaled_modified_bessel_k1", input);
    record("special.scaled_modified_bessel_k1", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0), y = c.saved(1);
        return {c.grad() * (y - special_scaled_modified_bessel_k0(x) - y / x)};
    });
    return y;
}
REEL_OP("special.bessel_j0(Tensor input) -> Tensor", rule, out)
Tensor special_bessel_j0(const Tensor& input) {
    const Tensor y = mapped<bessel_j0>("special.bessel_j0", input);
    record("special.bessel_j0", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {-c.grad() * special_bessel_j1(c.saved(0))}; });
    return y;
}
REEL_OP("special.bessel_j1(Tensor input) -> Tensor", rule, out)
Tensor special_bessel_j1(const Tensor& input) {
    const Tensor y = mapped<bessel_j1>("special.bessel_j1", input);
    record("special.bessel_j1", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        return {c.grad() * (special_bessel_j0(c.saved(0)) - over_x(c.saved(1), c.saved(0), 0.5))};
    });
    return y;
}
REEL_OP("special.bessel_y0(Tensor input) -> Tensor", rule, out)
Tensor special_bessel_y0(const Tensor& input) {
    const Tensor y = mapped<bessel_y0>("special.bessel_y0", input);
    record("special.bessel_y0", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {-c.grad() * special_bessel_y1(c.saved(0))}; });
    return y;
}
REEL_OP("special.bessel_y1(Tensor input) -> Tensor", rule, out)
Tensor special_bessel_y1(const Tensor& input) {
    const Tensor y = mapped<bessel_y1>("special.bessel_y1", input);
    record("special.bessel_y1", {input}, y, {input, y}, [](RuleContext& c) -> GradList {
        return {c.grad() * (special_bessel_y0(c.saved(0)) - c.saved(1) / c.saved(0))};
    });
    return y;
}
namespace {
double airy_ai_prime(double x) {
    if (x != x) return x;
    if (std::isinf(x)) return x > 0 ? 0 : special_math::not_a_number;
    return x > 103.892 ? 0 : boost::math::airy_ai_prime(x, special_math::Quiet());
}
/// Ai', whose derivative is x Ai(x).
Tensor airy_ai_slope(const Tensor& x) {
    const Tensor y = mapped<airy_ai_prime>("special.airy_ai", x);
    record("special.airy_ai_backward", {x}, y, {x}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        return {c.grad() * (x * special_airy_ai(x))};
    });
    return y;
}
} // namespace
/// Airy's Ai.
REEL_OP("special.airy_ai(Tensor x) -> Tensor", rule, out)
Tensor special_airy_ai(const Tensor& input) {
    const Tensor y = mapped<special_math::airy_ai>("special.airy_ai", input);
    record("special.airy_ai", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {c.grad() * airy_ai_slope(c.saved(0))}; });
    return y;
}

} // namespace reel
