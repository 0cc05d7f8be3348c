// The gamma function's family.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <reel/autograd/pointwise/rule.hpp>
#include <reel/autograd/pointwise/special_math.hpp>
#if defined(REEL_ISA)
#include <reel/autograd/detail/cpu/digamma.hpp> // what the vector forms call
#include <reel/autograd/detail/cpu/log_gamma.hpp>
#endif

namespace reel::pointwise {

namespace detail {
// Single numbers; vectors have functions of their own.
/// log |Gamma(x)|
template <class T>
requires std::is_floating_point_v<T> REEL_HD T lgamma(T x) { return T(std::lgamma(double(x))); }
/// Its derivatives.
template <class T>
requires std::is_floating_point_v<T> T digamma(T x) { return T(special_math::digamma(double(x))); }
template <class T>
requires std::is_floating_point_v<T> T trigamma(T x) { return T(special_math::trigamma(double(x))); }
} // namespace detail

/// log |Gamma(x)|
REEL_OP("lgamma(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.gammaln"))
struct lgamma_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        using detail::lgamma;
        return lgamma(x);
    }
    template <class T> T df(T g, T x, T) const { return g * digamma(x); }
};
/// The derivative of digamma.
struct trigamma_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form, host_only {
    template <class T> T f(T x) const {
        using detail::trigamma;
        return trigamma(x);
    }
    template <class T> T df(T g, T x, T) const { return g * polygamma(x, 2); }
};
/// d lgamma / dx; NaN at negative integers, -infinity at 0.
REEL_OP("digamma(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.digamma"), alias("special.psi"))
struct digamma_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form, host_only {
    template <class T> T f(T x) const {
        using detail::digamma;
        return digamma(x);
    }
    template <class T> T df(T g, T x, T) const { return g * apply("polygamma", trigamma_op{}, x); }
};
/// n-th derivative of digamma.
REEL_OP("polygamma(Tensor input, int n) -> Tensor", rule, method, inplace, alias("special.polygamma"),
        samples(call(spread(0, infinity), 2)))
struct polygamma_op : unary<Result::ToFloat, floating, Saves::Input>, host_only {
    std::int64_t n;
    explicit polygamma_op(std::int64_t order) : n(order) {
        REEL_CHECK(n >= 0, "polygamma: n is ", n, "; expected a number that is not negative");
        REEL_CHECK_VALUE(n < std::numeric_limits<std::int32_t>::max(), "polygamma: n is ", n,
                         "; expected a number below 2^31 - 1");
    }
    template <class T> T f(T x) const {
        return T(n == 1 ? special_math::trigamma(double(x)) : special_math::polygamma(n, double(x)));
    }
    template <class T> T df(T g, T x, T) const { return g * polygamma(x, n + 1); }
};
/// log of the multivariate gamma function of dimension p.
struct mvlgamma_op : unary<Result::ToFloat, floating, Saves::Input> {
    std::int64_t p;
    double constant;
    explicit mvlgamma_op(std::int64_t dimension)
        : p(dimension), constant(double(p) * double(p - 1) * 0.25 * std::log(3.14159265358979323846)) {}
    template <class T> REEL_HD T f(T x) const {
        double total = constant;
        for (std::int64_t j = 0; j < p; ++j) total += std::lgamma(double(x) - 0.5 * double(j));
        return T(total);
    }
    template <class T> T df(T g, T x, T) const {
        T slope = digamma(x);
        for (std::int64_t j = 1; j < p; ++j) slope = slope + digamma(x - 0.5 * double(j));
        return g * slope;
    }
};

/// The derivative of P(s, x) with respect to x.
template <class T> T gamma_density(const T& s, const T& x) { return exp((s - 1) * log(x) - x - lgamma(s)); }
/// n-th derivative of P(s, x) with respect to s, by the power series or the continued fraction, on behalf of `name`.
struct igamma_order_op : binary<Result::Same, floating, a | b, a | b>, host_only {
    const char* name;
    int n;
    igamma_order_op(const char* op, int order) : name(op), n(order) {
        REEL_CHECK_NOT_IMPLEMENTED(n <= special_math::most_derivatives, name, ": derivatives with respect to input ",
                                   "(the order) beyond the second are not implemented");
    }
    template <class T> T f(T s, T x) const { return T(special_math::igamma_derivative(n, double(s), double(x))); }
    template <class T> T da(T g, T s, T x, T) const { return g * apply(name, igamma_order_op(name, n + 1), s, x); }
    template <class T> T db(T g, T s, T x, T) const {
        const T slope = log(x) - digamma(s); // of the density's logarithm
        return g * (gamma_density(s, x) * (n == 1 ? slope : slope * slope - polygamma(s, 1)));
    }
};
/// Regularized lower incomplete gamma function P(input, other).
REEL_OP("igamma(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("special.gammainc"),
        domain(0, infinity, 0, infinity))
struct igamma_op : binary<Result::Same, floating, a | b, a | b>, host_only {
    template <class T> T f(T s, T x) const { return T(special_math::igamma(double(s), double(x))); }
    template <class T> T da(T g, T s, T x, T) const { return g * apply("igamma", igamma_order_op("igamma", 1), s, x); }
    template <class T> T db(T g, T s, T x, T) const { return g * gamma_density(s, x); }
};
/// Regularized upper incomplete gamma function Q(input, other).
REEL_OP("igammac(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("special.gammaincc"),
        domain(0, infinity, 0, infinity))
struct igammac_op : binary<Result::Same, floating, a | b, a | b>, host_only {
    template <class T> T f(T s, T x) const { return T(special_math::igammac(double(s), double(x))); }
    template <class T> T da(T g, T s, T x, T) const {
        return -g * apply("igammac", igamma_order_op("igammac", 1), s, x);
    }
    template <class T> T db(T g, T s, T x, T) const { return -g * gamma_density(s, x); }
};
/// Hurwitz zeta function of exponent `input` and shift `other`, or its n-th derivative with respect to the exponent.
REEL_OP("special.zeta(Tensor input, Tensor other) -> Tensor", rule, out, domain(1, infinity, 0, infinity))
REEL_OP("special.zeta(Tensor input, Scalar other) -> Tensor", composite, out)
REEL_OP("special.zeta(Scalar input, Tensor other) -> Tensor", composite, out)
struct zeta_op : binary<Result::ToFloat, floating, a | b, a | b>, host_only {
    int n;
    explicit zeta_op(int order = 0) : n(order) {
        REEL_CHECK_NOT_IMPLEMENTED(n <= special_math::most_derivatives, "special.zeta: derivatives with respect to ",
                                   "input (the exponent) beyond the second are not implemented");
    }
    template <class T> T f(T s, T q) const { return T(special_math::zeta_derivative(n, double(s), double(q))); }
    template <class T> T da(T g, T s, T q, T) const { return g * apply("special.zeta", zeta_op(n + 1), s, q); }
    template <class T> T db(T g, T s, T q, T) const { // of -s zeta(s + 1, q), differentiated n times
        T slope = -s * apply("special.zeta", zeta_op(n), s + 1, q);
        if (n > 0) slope = slope - apply("special.zeta", zeta_op(n - 1), s + 1, q) * double(n);
        return g * slope;
    }
};

} // namespace reel::pointwise
