// The gamma function's family.
#include "cpu/jet.hpp"
#include "ops/pointwise/elementwise.hpp"
#include "ops/special/special.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/ops/special/gamma.hpp>

namespace reel {

namespace special_math {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr int most_derivatives = 2; // with respect to orders and exponents
using namespace boost::math::policies;
using Quiet = policy<domain_error<errno_on_error>, pole_error<errno_on_error>, overflow_error<errno_on_error>,
                     evaluation_error<errno_on_error>, promote_double<false>>;
} // namespace

double digamma(double x) {
    if (x == 0) return std::copysign(infinity, -x);
    if (x != x || x == infinity) return x;
    if (x < 0 && (x == std::trunc(x))) return not_a_number;
    return boost::math::digamma(x, Quiet());
}
namespace {
/// The first terms one by one, then Euler and Maclaurin.
template <class S> S zeta_sum(S s, double q) {
    double a = q;
    S total = power(q, -s), term = 0;
    for (int i = 0; i < 9 || a <= 9; ++i) {
        a += 1;
        term = power(a, -s);
        total += term;
        if (negligible(term, total)) return total;
    }
    total += term * S(a) / (s - S(1)) - S(0.5) * term;
    // B_2k / (2k)! a^-(s+2k-1) s (s+1) ... (s+2k-2)
    constexpr double inverse[] = {12.0,
                                  -720.0,
                                  30240.0,
                                  -1209600.0,
                                  47900160.0,
                                  -1.8924375803183791606e9,
                                  7.47242496e10,
                                  -2.950130727918164224e12,
                                  1.1646782814350067249e14,
                                  -4.5979787224074726105e15,
                                  1.8152105401943546773e17,
                                  -7.1661652561756670113e18};
    S factor = 1;
    double k = 0;
    for (const double c : inverse) {
        factor *= s + S(k);
        term /= S(a);
        const S step = factor * term / S(c);
        total += step;
        if (negligible(step, total)) break;
        k += 1;
        factor *= s + S(k);
        term /= S(a);
        k += 1;
    }
    return total;
}
} // namespace
double zeta(double s, double q) {
    if (s == 1) return infinity;
    if (!(s > 1) || q != q) return not_a_number;
    if (q <= 0) {
        if (q == std::floor(q)) return infinity;
        if (s != std::floor(s)) return not_a_number; // a power of a negative number
    }
    return zeta_sum(s, q);
}
double zeta_derivative(int order, double s, double q) {
    if (order == 0) return zeta(s, q);
    if (!(s > 1) || !(q > 0)) return not_a_number;
    return zeta_sum(Jet<most_derivatives>::variable(s), q).derivative(order);
}
double polygamma(std::int64_t n, double x) {
    if (n == 0) return digamma(x);
    return (n % 2 ? 1 : -1) * std::exp(std::lgamma(double(n) + 1)) * zeta(double(n) + 1, x);
}
double igamma(double a, double x) {
    if (x < 0 || a < 0 || x != x || a != a) return not_a_number;
    if (a == 0) return x > 0 ? 1 : not_a_number;
    if (x == 0) return 0;
    if (std::isinf(a)) return std::isinf(x) ? not_a_number : 0;
    if (std::isinf(x)) return 1;
    return boost::math::gamma_p(a, x, Quiet());
}
double igammac(double a, double x) {
    if (x < 0 || a < 0 || x != x || a != a) return not_a_number;
    if (a == 0) return x > 0 ? 0 : not_a_number;
    if (x == 0) return 1;
    if (std::isinf(a)) return std::isinf(x) ? not_a_number : 1;
    if (std::isinf(x)) return 0;
    return boost::math::gamma_q(a, x, Quiet());
}
namespace {
using Order = Jet<most_derivatives>;
/// log Gamma(a) around a > 0.
Order lgamma_jet(double a) {
    Order j(std::lgamma(a));
    j.c[1] = digamma(a);
    for (int k = 2; k <= most_derivatives; ++k) // polygamma(n, a) = (-1)^(n+1) n! zeta(n+1, a), over k! = (n+1)!
        j.c[std::size_t(k)] = (k % 2 == 0 ? 1 : -1) * zeta(double(k), a) / k;
    return j;
}
/// P by its power series and Q by its continued fraction, each where it converges fast.
Order lower_series(const Order& a, double x) {
    Order term = 1, total = 1;
    for (int k = 1; k < 1000000; ++k) {
        term *= Order(x) / (a + Order(k));
        total += term;
        if (negligible(term, total)) break;
    }
    return total;
}
Order upper_fraction(const Order& a, double x) { // Lentz
    constexpr double tiny = 1e-300;
    Order b = Order(x + 1) - a, c = 1 / tiny, d = Order(1) / b, h = d;
    for (int k = 1; k < 1000000; ++k) {
        const Order an = Order(-k) * (Order(k) - a);
        b += Order(2);
        d = Order(1) / (an * d + b);
        c = b + an / c;
        const Order step = c * d;
        h *= step;
        bool settled = std::abs(step.c[0] - 1) < 1e-16;
        for (int i = 1; i <= most_derivatives; ++i) settled = settled && std::abs(step.c[std::size_t(i)]) < 1e-16;
        if (settled) break;
    }
    return h;
}
} // namespace
double igamma_derivative(int order, double a, double x) {
    if (!(x >= 0) || !(a >= 0)) return not_a_number;
    if (std::isinf(a) || std::isinf(x)) return std::isinf(a) && std::isinf(x) ? not_a_number : 0;
    if (x == 0) return a == 0 ? not_a_number : 0;
    const Order v = Order::variable(a);
    const Order scale = exp(v * Order(std::log(x)) - Order(x) - lgamma_jet(a + 1)); // x^a e^-x / Gamma(a + 1)
    if (x < a + 1) return (scale * lower_series(v, x)).derivative(order);
    return -(scale * v * upper_fraction(v, x)).derivative(order);
}
} // namespace special_math

using namespace elementwise;

namespace {
double trigamma(double x) {
    constexpr double pi = std::numbers::pi;
    if (x < 0.5) { // the sine of pi x by what is left of x to the next integer, which is exact
        const double s = std::sin(pi * (x - std::round(x)));
        return pi * pi / (s * s) - trigamma(1 - x);
    }
    double total = 0;
    for (int i = 0; i < 10; ++i, x += 1) total += 1 / (x * x);
    const double z = 1 / (x * x);
    return total +
           (1 + 1 / (2 * x) + z * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66)))))) / x;
}
} // namespace

/// log |Gamma(x)|
REEL_OP("lgamma(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.gammaln"))
Tensor lgamma(const Tensor& input) {
    const Tensor y = map<Floats>(
        "lgamma", to_float(input), [](auto x) { return decltype(x)(std::lgamma(double(x))); }, input);
    record("lgamma", {input}, y, {input}, [](RuleContext& c) -> GradList { return {c.grad() * digamma(c.saved(0))}; });
    return y;
}
/// d lgamma / dx; NaN at negative integers, -infinity at 0.
REEL_OP("digamma(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.digamma"), alias("special.psi"))
Tensor digamma(const Tensor& input) {
    const Tensor y = map<Floats>(
        "digamma", to_float(input), [](auto x) { return decltype(x)(special_math::digamma(double(x))); }, input);
    record("digamma", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {c.grad() * polygamma(c.saved(0), 1)}; });
    return y;
}
/// n-th derivative of digamma.
REEL_OP("polygamma(Tensor input, int n) -> Tensor", rule, method, inplace, alias("special.polygamma"))
Tensor polygamma(const Tensor& input, std::int64_t n) {
    REEL_CHECK(n >= 0, "polygamma: n is ", n, "; expected a number that is not negative");
    REEL_CHECK_VALUE(n < std::numeric_limits<std::int32_t>::max(), "polygamma: n is ", n,
                     "; expected a number below 2^31 - 1");
    const Tensor y = map<Floats>(
        "polygamma", to_float(input),
        [n](auto x) { return decltype(x)(n == 1 ? trigamma(double(x)) : special_math::polygamma(n, double(x))); },
        input);
    record("polygamma", {input}, y, {input},
           [n](RuleContext& c) -> GradList { return {c.grad() * polygamma(c.saved(0), n + 1)}; });
    return y;
}
/// The same in the order of Python's function.
REEL_OP("polygamma(int n, Tensor input) -> Tensor", composite, out)
Tensor polygamma(std::int64_t n, const Tensor& input) { return polygamma(input, n); }
namespace {
constexpr std::int64_t most_terms = std::int64_t(1) << 20;
}
/// log of the multivariate gamma function of dimension p, which is at most 2^20.
REEL_OP("mvlgamma(Tensor input, int p) -> Tensor", rule, method, out, inplace, alias("special.multigammaln"))
Tensor mvlgamma(const Tensor& input, std::int64_t p) {
    REEL_CHECK(p >= 1, "mvlgamma: p is ", p, "; expected at least 1");
    const Tensor x = isIntegralType(input.scalar_type(), true) ? input.to(get_default_dtype()) : input;
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(x.scalar_type()), "mvlgamma: input: there is no kernel for ",
                               dtype_name(x.scalar_type()));
    REEL_CHECK_VALUE(p <= most_terms, "mvlgamma: p is ", p, "; expected at most ", most_terms,
                     ", since it is a sum of as many terms");
    const double constant = double(p) * double(p - 1) * 0.25 * std::log(3.14159265358979323846);
    const Tensor y = map<Floats>(
        "mvlgamma", x.scalar_type(),
        [p, constant](auto v) {
            double total = constant;
            for (std::int64_t j = 0; j < p; ++j) total += std::lgamma(double(v) - 0.5 * double(j));
            return decltype(v)(total);
        },
        x);
    record("mvlgamma", {x}, y, {x}, [p](RuleContext& c) -> GradList {
        Tensor slope = digamma(c.saved(0));
        for (std::int64_t j = 1; j < p; ++j) slope = slope + digamma(c.saved(0) - 0.5 * double(j));
        return {c.grad() * slope};
    });
    return y;
}

namespace {
/// The derivative of P(a, x) with respect to x.
Tensor gamma_density(const Tensor& a, const Tensor& x) { return exp((a - 1) * log(x) - x - lgamma(a)); }
/// n-th derivative of P(a, x) with respect to a, by the power series or the continued fraction.
Tensor igamma_order(const char* op, int n, const Tensor& a, const Tensor& x) {
    REEL_CHECK_NOT_IMPLEMENTED(n <= special_math::most_derivatives, op, ": derivatives with respect to input (the ",
                               "order) beyond the second are not implemented");
    const Tensor y = map<Floats>(
        op, promoted(a, x),
        [n](auto a, auto x) { return decltype(x)(special_math::igamma_derivative(n, double(a), double(x))); }, a, x);
    record(op, {a, x}, y, {a, x}, [op, n](RuleContext& c) -> GradList {
        const Tensor a = c.saved(0), x = c.saved(1), &g = c.grad();
        Tensor gx;
        if (c.needs(1)) {
            const Tensor slope = log(x) - digamma(a); // of the density's logarithm
            gx = gamma_density(a, x) * (n == 1 ? slope : slope * slope - polygamma(a, 1));
        }
        return {c.needs(0) ? g * igamma_order(op, n + 1, a, x) : Tensor(), gx.defined() ? g * gx : gx};
    });
    return y;
}
GradList igamma_rule(const char* op, const Tensor& g, RuleContext& c) {
    const Tensor a = c.saved(0), x = c.saved(1);
    return {c.needs(0) ? g * igamma_order(op, 1, a, x) : Tensor(), c.needs(1) ? g * gamma_density(a, x) : Tensor()};
}
} // namespace
/// Regularized lower incomplete gamma function P(input, other).
REEL_OP("igamma(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("special.gammainc"))
Tensor igamma(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "igamma", promoted(input, other),
        [](auto a, auto x) { return decltype(x)(special_math::igamma(double(a), double(x))); }, input, other);
    record("igamma", {input, other}, y, {input, other},
           [](RuleContext& c) -> GradList { return igamma_rule("igamma", c.grad(), c); });
    return y;
}
/// Regularized upper incomplete gamma function Q(input, other).
REEL_OP("igammac(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("special.gammaincc"))
Tensor igammac(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "igammac", promoted(input, other),
        [](auto a, auto x) { return decltype(x)(special_math::igammac(double(a), double(x))); }, input, other);
    record("igammac", {input, other}, y, {input, other},
           [](RuleContext& c) -> GradList { return igamma_rule("igammac", -c.grad(), c); });
    return y;
}
namespace {
/// n-th derivative of zeta(s, q) with respect to s.
Tensor zeta_order(int n, const Tensor& s, const Tensor& q) {
    REEL_CHECK_NOT_IMPLEMENTED(n <= special_math::most_derivatives, "special.zeta: derivatives with respect to input ",
                               "(the exponent) beyond the second are not implemented");
    const Tensor y = map<Floats>(
        "special.zeta", to_float(s, q),
        [n](auto s, auto q) { return decltype(q)(special_math::zeta_derivative(n, double(s), double(q))); }, s, q);
    record("special.zeta", {s, q}, y, {s, q}, [n](RuleContext& c) -> GradList {
        const Tensor s = c.saved(0), q = c.saved(1), &g = c.grad();
        Tensor gq;
        if (c.needs(1)) { // of -s zeta(s + 1, q), differentiated n times
            gq = -s * zeta_order(n, s + 1, q);
            if (n > 0) gq = gq - zeta_order(n - 1, s + 1, q) * double(n);
        }
        return {c.needs(0) ? g * zeta_order(n + 1, s, q) : Tensor(), gq.defined() ? g * gq : gq};
    });
    return y;
}
} // namespace
/// Hurwitz zeta function of exponent `input` and shift `other`.
REEL_OP("special.zeta(Tensor input, Tensor other) -> Tensor", rule, out)
Tensor special_zeta(const Tensor& input, const Tensor& other) { return zeta_order(0, input, other); }
REEL_OP("special.zeta(Tensor input, Scalar other) -> Tensor", composite, out)
Tensor special_zeta(const Tensor& input, const Scalar& other) { return special_zeta(input, number(other)); }
REEL_OP("special.zeta(Scalar input, Tensor other) -> Tensor", composite, out)
Tensor special_zeta(const Scalar& input, const Tensor& other) { return special_zeta(number(input), other); }

} // namespace reel
