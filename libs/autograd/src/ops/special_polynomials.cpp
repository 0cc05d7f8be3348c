// Orthogonal polynomials of integer degree n; zero for negative n.
#include "ops/elementwise.hpp"

#include <cmath>
#include <limits>

namespace reel {

using namespace elementwise;

namespace {

/// p_0, p_1 and `next(k, p_k, p_(k-1))` up to degree n.
template <class F> double recur(double first, double second, std::int64_t n, F next) {
    if (n == 0) return first;
    double p = first, q = second;
    for (std::int64_t k = 1; k < n && q == q; ++k) {
        const double r = next(double(k), q, p);
        p = q;
        q = r;
    }
    return q;
}
double chebyshev(double second, double x, std::int64_t n) {
    return recur(1, second, n, [x](double, double q, double p) { return 2 * x * q - p; });
}
double sign_of(std::int64_t n) { return n % 2 == 0 ? 1 : -1; }
double chebyshev_t(double x, std::int64_t n) {
    if (std::abs(x) == 1) return x > 0 ? 1 : sign_of(n);
    if (n > 6 && std::abs(x) < 1) return std::cos(double(n) * std::acos(x));
    return chebyshev(x, x, n);
}
double chebyshev_u(double x, std::int64_t n) {
    if (std::abs(x) == 1) return double(n + 1) * (x > 0 ? 1 : sign_of(n));
    if (n > 8 && std::abs(x) < 1) return std::sin(double(n + 1) * std::acos(x)) / std::sin(std::acos(x));
    return chebyshev(2 * x, x, n);
}
double chebyshev_v(double x, std::int64_t n) {
    if (std::abs(x) == 1) return x > 0 ? 1 : double(2 * n + 1) * sign_of(n);
    if (n > 8 && std::abs(x) < 1) return std::cos((double(n) + 0.5) * std::acos(x)) / std::cos(std::acos(x) / 2);
    return chebyshev(2 * x - 1, x, n);
}
double chebyshev_w(double x, std::int64_t n) {
    if (std::abs(x) == 1) return x > 0 ? double(2 * n + 1) : sign_of(n);
    if (n > 8 && std::abs(x) < 1) return std::sin((double(n) + 0.5) * std::acos(x)) / std::sin(std::acos(x) / 2);
    return chebyshev(2 * x + 1, x, n);
}
double shifted_t(double x, std::int64_t n) { return chebyshev_t(2 * x - 1, n); }
double shifted_u(double x, std::int64_t n) { return chebyshev_u(2 * x - 1, n); }
double shifted_v(double x, std::int64_t n) { return chebyshev_v(2 * x - 1, n); }
double shifted_w(double x, std::int64_t n) { return chebyshev_w(2 * x - 1, n); }
double hermite_h(double x, std::int64_t n) {
    return recur(1, 2 * x, n, [x](double k, double q, double p) { return 2 * x * q - 2 * k * p; });
}
double hermite_he(double x, std::int64_t n) {
    return recur(1, x, n, [x](double k, double q, double p) { return x * q - k * p; });
}
double laguerre_l(double x, std::int64_t n) {
    if (x == 0) return 1;
    return recur(1, 1 - x, n, [x](double k, double q, double p) { return ((2 * k + (1 - x)) * q - k * p) / (k + 1); });
}
double legendre_p(double x, std::int64_t n) {
    if (std::abs(x) == 1) return x > 0 ? 1 : sign_of(n);
    return recur(1, x, n, [x](double k, double q, double p) { return ((2 * k + 1) * x * q - k * p) / (k + 1); });
}

template <double (*F)(double, std::int64_t)> Tensor polynomial(const char* name, const Tensor& x, const Tensor& n) {
    return map<Floats>(
        name, to_float(x, n),
        [](auto v, auto degree) {
            using T = decltype(v);
            if (degree != degree) return std::numeric_limits<T>::quiet_NaN();
            const std::int64_t n = std::int64_t(degree);
            return n < 0 ? T(0) : T(F(double(v), n));
        },
        x, n);
}

} // namespace

#define REEL_POLYNOMIAL(name, function)                                                                                \
    Tensor special_##name(const Tensor& x, const Tensor& n) { return polynomial<function>("special." #name, x, n); }   \
    Tensor special_##name(const Tensor& x, const Scalar& n) { return special_##name(x, number(n)); }                   \
    Tensor special_##name(const Scalar& x, const Tensor& n) { return special_##name(number(x), n); }

REEL_OP("special.chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.chebyshev_polynomial_t(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.chebyshev_polynomial_t(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(chebyshev_polynomial_t, chebyshev_t)
REEL_OP("special.chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.chebyshev_polynomial_u(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.chebyshev_polynomial_u(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(chebyshev_polynomial_u, chebyshev_u)
REEL_OP("special.chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.chebyshev_polynomial_v(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.chebyshev_polynomial_v(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(chebyshev_polynomial_v, chebyshev_v)
REEL_OP("special.chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.chebyshev_polynomial_w(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.chebyshev_polynomial_w(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(chebyshev_polynomial_w, chebyshev_w)
REEL_OP("special.hermite_polynomial_h(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.hermite_polynomial_h(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.hermite_polynomial_h(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(hermite_polynomial_h, hermite_h)
REEL_OP("special.hermite_polynomial_he(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.hermite_polynomial_he(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.hermite_polynomial_he(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(hermite_polynomial_he, hermite_he)
REEL_OP("special.laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.laguerre_polynomial_l(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.laguerre_polynomial_l(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(laguerre_polynomial_l, laguerre_l)
REEL_OP("special.legendre_polynomial_p(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.legendre_polynomial_p(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.legendre_polynomial_p(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(legendre_polynomial_p, legendre_p)
REEL_OP("special.shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.shifted_chebyshev_polynomial_t(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.shifted_chebyshev_polynomial_t(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(shifted_chebyshev_polynomial_t, shifted_t)
REEL_OP("special.shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.shifted_chebyshev_polynomial_u(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.shifted_chebyshev_polynomial_u(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(shifted_chebyshev_polynomial_u, shifted_u)
REEL_OP("special.shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.shifted_chebyshev_polynomial_v(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.shifted_chebyshev_polynomial_v(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(shifted_chebyshev_polynomial_v, shifted_v)
REEL_OP("special.shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", out, not_differentiable)
REEL_OP("special.shifted_chebyshev_polynomial_w(Tensor x, Scalar n) -> Tensor", out, not_differentiable)
REEL_OP("special.shifted_chebyshev_polynomial_w(Scalar x, Tensor n) -> Tensor", out, not_differentiable)
REEL_POLYNOMIAL(shifted_chebyshev_polynomial_w, shifted_w)

} // namespace reel
