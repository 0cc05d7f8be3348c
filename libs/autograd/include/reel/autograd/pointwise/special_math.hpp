// Special functions of one or two real numbers, in double precision, on the host: what rules of the special family
// compute.
#pragma once

#include <cstdint>

#include <reel/autograd/ops/special/bessel.hpp>
#include <reel/autograd/ops/special/gamma.hpp>

namespace reel::special_math {

/// The most derivatives that igamma and zeta have with respect to orders and exponents.
inline constexpr int most_derivatives = 2;

double digamma(double x);
/// The first derivative of digamma.
double trigamma(double x);
/// n-th derivative of digamma, n other than 1.
double polygamma(std::int64_t n, double x);
/// Hurwitz zeta: sum of (k + q)^-s over k >= 0.
double zeta(double s, double q);
/// Derivative of zeta with respect to s of order 0, 1 or 2.
double zeta_derivative(int order, double s, double q);
/// Derivative of igamma with respect to a of order 1 or 2.
double igamma_derivative(int order, double a, double x);
double igamma(double a, double x);  ///< regularized lower incomplete gamma
double igammac(double a, double x); ///< regularized upper incomplete gamma
double erfinv(double x);
double erfcx(double x); ///< e^(x^2) erfc(x)
double ndtri(double p);
double log_ndtr(double x);
double i0(double x);
double i0e(double x); ///< e^-|x| I0(x)
double i1(double x);
double i1e(double x);
double k0(double x);
double k0e(double x); ///< e^x K0(x)
double k1(double x);
double k1e(double x);
double j0(double x);
double j1(double x);
double y0(double x);
double y1(double x);
double airy_ai(double x);
double airy_ai_prime(double x);
double ndtr_slope(double x); ///< phi(x) / Phi(x), the slope of log_ndtr

} // namespace reel::special_math
