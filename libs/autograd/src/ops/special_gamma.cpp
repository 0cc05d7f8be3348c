// The gamma function's family.
#include "ops/elementwise.hpp"
#include "ops/special.hpp"

#include <cmath>
#include <limits>

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
double zeta(double s, double q) {
    if (s == 1) return infinity;
    if (!(s > 1) || q != q) return not_a_number;
    if (q <= 0) {
        if (q == std::floor(q)) return infinity;
        if (s != std::floor(s)) return not_a_number; // a power of a negative number
    }
    // The first terms one by one, then Euler and Maclaurin.
    double total = std::pow(q, -s), a = q, term = 0;
    for (int i = 0; i < 9 || a <= 9; ++i) {
        a += 1;
        term = std::pow(a, -s);
        total += term;
        if (std::abs(term) < 1e-17 * std::abs(total)) return total;
    }
    total += term * a / (s - 1) - 0.5 * term;
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
    double factor = 1, k = 0;
    for (const double c : inverse) {
        factor *= s + k;
        term /= a;
        const double step = factor * term / c;
        total += step;
        if (std::abs(step) < 1e-17 * std::abs(total)) break;
        k += 1;
        factor *= s + k;
        term /= a;
        k += 1;
    }
    return total;
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
} // namespace special_math

using namespace elementwise;

namespace {
/// In the precision of T throughout, as near the poles the reference shows it: the argument of the sine is rounded.
template <class T> T trigamma(T x) {
    if (x < T(0.5)) {
        const T s = std::sin(T(3.14159265358979323846) * x),
                bound = T(3.14159265358979323846) * T(3.14159265358979323846) / (s * s);
        return bound - trigamma(T(1) - x);
    }
    T total = 0;
    for (int i = 0; i < 10; ++i, x += 1) total += 1 / (x * x);
    const T z = 1 / (x * x);
    return total +
           (1 + 1 / (2 * x) + z * (T(1) / 6 - z * (T(1) / 30 - z * (T(1) / 42 - z * (T(1) / 30 - z * (T(5) / 66)))))) /
               x;
}
} // namespace

/// log |Gamma(x)|
REEL_OP("lgamma(Tensor input) -> Tensor", method, out, inplace, alias("special.gammaln"))
Tensor lgamma(const Tensor& input) {
    const Tensor y = map<Floats>(
        "lgamma", to_float(input), [](auto x) { return decltype(x)(std::lgamma(double(x))); }, input);
    record("lgamma", {input}, y, {input}, [](RuleContext& c) -> GradList { return {c.grad() * digamma(c.saved(0))}; });
    return y;
}
/// d lgamma / dx; NaN at negative integers, -infinity at 0.
REEL_OP("digamma(Tensor input) -> Tensor", method, out, inplace, alias("special.digamma"), alias("special.psi"))
Tensor digamma(const Tensor& input) {
    const Tensor y = map<Floats>(
        "digamma", to_float(input), [](auto x) { return decltype(x)(special_math::digamma(double(x))); }, input);
    record("digamma", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {c.grad() * polygamma(c.saved(0), 1)}; });
    return y;
}
/// n-th derivative of digamma.
REEL_OP("polygamma(Tensor input, int n) -> Tensor", method, inplace)
Tensor polygamma(const Tensor& input, std::int64_t n) {
    REEL_CHECK(n >= 0, "polygamma: n is ", n, "; expected a number that is not negative");
    const Tensor y = map<Floats>(
        "polygamma", to_float(input),
        [n](auto x) { return n == 1 ? trigamma(x) : decltype(x)(special_math::polygamma(n, double(x))); }, input);
    record("polygamma", {input}, y, {input},
           [n](RuleContext& c) -> GradList { return {c.grad() * polygamma(c.saved(0), n + 1)}; });
    return y;
}
/// The same in the order of Python's function.
REEL_OP("polygamma(int n, Tensor input) -> Tensor", out, alias("special.polygamma(int n, Tensor input)"))
Tensor polygamma(std::int64_t n, const Tensor& input) { return polygamma(input, n); }
/// log of the multivariate gamma function of dimension p.
REEL_OP("mvlgamma(Tensor input, int p) -> Tensor", method, out, inplace, alias("special.multigammaln"))
Tensor mvlgamma(const Tensor& input, std::int64_t p) {
    REEL_CHECK(p >= 1, "mvlgamma: p is ", p, "; expected at least 1");
    const Tensor x = isIntegralType(input.scalar_type(), true) ? input.to(get_default_dtype()) : input;
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(x.scalar_type()), "mvlgamma: input: there is no kernel for ",
                               dtype_name(x.scalar_type()));
    const double constant = double(p * (p - 1)) * 0.25 * std::log(3.14159265358979323846);
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
/// The derivative of either incomplete gamma function with respect to x, up to its sign.
Tensor gamma_density(const Tensor& g, const Tensor& a, const Tensor& x) {
    return g * exp((a - 1) * log(x) - x - lgamma(a));
}
void refuse_order(bool needed, const char* op) {
    REEL_CHECK_NOT_IMPLEMENTED(!needed, op, ": the derivative with respect to input (the order) is not implemented");
}
} // namespace
/// Regularized lower incomplete gamma function P(input, other); no gradient for input.
REEL_OP("igamma(Tensor input, Tensor other) -> Tensor", method, out, inplace, alias("special.gammainc"))
Tensor igamma(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "igamma", promoted(input, other),
        [](auto a, auto x) { return decltype(x)(special_math::igamma(double(a), double(x))); }, input, other);
    record("igamma", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        refuse_order(c.needs(0), "igamma");
        return {Tensor(), gamma_density(c.grad(), c.saved(0), c.saved(1))};
    });
    return y;
}
/// Regularized upper incomplete gamma function Q(input, other); no gradient for input.
REEL_OP("igammac(Tensor input, Tensor other) -> Tensor", method, out, inplace, alias("special.gammaincc"))
Tensor igammac(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "igammac", promoted(input, other),
        [](auto a, auto x) { return decltype(x)(special_math::igammac(double(a), double(x))); }, input, other);
    record("igammac", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        refuse_order(c.needs(0), "igammac");
        return {Tensor(), -gamma_density(c.grad(), c.saved(0), c.saved(1))};
    });
    return y;
}
/// Hurwitz zeta function of exponent `input` and shift `other`; a gradient for `other` alone.
REEL_OP("special.zeta(Tensor input, Tensor other) -> Tensor", out)
Tensor special_zeta(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "special.zeta", to_float(input, other),
        [](auto s, auto q) { return decltype(q)(special_math::zeta(double(s), double(q))); }, input, other);
    record("special.zeta", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        REEL_CHECK_NOT_IMPLEMENTED(
            !c.needs(0), "special.zeta: the derivative with respect to input (the exponent) is not implemented");
        return {Tensor(), c.grad() * -c.saved(0) * special_zeta(c.saved(0) + 1, c.saved(1))};
    });
    return y;
}
REEL_OP("special.zeta(Tensor input, Scalar other) -> Tensor", out)
Tensor special_zeta(const Tensor& input, const Scalar& other) { return special_zeta(input, number(other)); }
REEL_OP("special.zeta(Scalar input, Tensor other) -> Tensor", out)
Tensor special_zeta(const Scalar& input, const Tensor& other) { return special_zeta(number(input), other); }

} // namespace reel
