// The gamma function's family.
#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/special/gamma.hpp>
#include <reel/autograd/pointwise/gamma.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>

#include "cpu/jet.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace reel {

namespace special_math {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
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
} // namespace special_math

/// The same in the order of Python's function.
REEL_OP("polygamma(int n, Tensor input) -> Tensor", composite, out)
Tensor polygamma(std::int64_t n, const Tensor& input) { return polygamma(input, n); }

namespace {
constexpr std::int64_t most_terms = std::int64_t(1) << 20;
}
/// log of the multivariate gamma function of dimension p, which is at most 2^20.
REEL_OP("mvlgamma(Tensor input, int p) -> Tensor", rule, method, out, inplace, alias("special.multigammaln"),
        samples(call(spread(2.3, 5), 3)))
Tensor mvlgamma(const Tensor& input, std::int64_t p) {
    REEL_CHECK(p >= 1, "mvlgamma: p is ", p, "; expected at least 1");
    const Tensor x = isIntegralType(input.scalar_type(), true) ? input.to(get_default_dtype()) : input;
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(x.scalar_type()), "mvlgamma: input: there is no kernel for ",
                               dtype_name(x.scalar_type()));
    REEL_CHECK_VALUE(p <= most_terms, "mvlgamma: p is ", p, "; expected at most ", most_terms,
                     ", since it is a sum of as many terms");
    return pointwise::apply("mvlgamma", pointwise::mvlgamma_op(p), x);
}

} // namespace reel
