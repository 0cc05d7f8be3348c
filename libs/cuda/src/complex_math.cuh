// The elementary functions of complex numbers on the device. Formulas of W. Kahan, "Branch cuts for complex elementary
// functions" (1987), where nothing else is said.
#pragma once

#include <cmath>
#include <limits>

#include <reel/autograd/pointwise/scalar_math.hpp>

#include "complex.cuh"

namespace reel::cuda {

template <class T> __device__ Complex<T> conj(Complex<T> z) { return {z.re, -z.im}; }
template <class T> __device__ T abs(Complex<T> z) { return std::hypot(z.re, z.im); }

template <class T> __device__ Complex<T> exp(Complex<T> z) {
    const T size = std::exp(z.re);
    if (z.im == 0) return {size, z.im};
    if (size == 0) return {std::copysign(T(0), std::cos(z.im)), std::copysign(T(0), std::sin(z.im))};
    return {size * std::cos(z.im), size * std::sin(z.im)};
}
template <class T> __device__ Complex<T> log(Complex<T> z) {
    const T size = std::hypot(z.re, z.im), x = std::fmax(std::fabs(z.re), std::fabs(z.im)),
            y = std::fmin(std::fabs(z.re), std::fabs(z.im));
    // near the unit circle the logarithm is small, and the square's distance from one exact
    const T real = size > T(0.5) && size < T(2) ? T(0.5) * std::log1p((x - 1) * (x + 1) + y * y) : std::log(size);
    return {real, std::atan2(z.im, z.re)};
}
template <class T> __device__ Complex<T> log2(Complex<T> z) { return log(z) / T(0.693147180559945309); }
template <class T> __device__ Complex<T> log10(Complex<T> z) { return log(z) / T(2.302585092994045684); }
template <class T> __device__ Complex<T> log1p(Complex<T> z) { return log(z + T(1)); }
template <class T> __device__ Complex<T> exp2(Complex<T> z) { return exp(z * T(0.693147180559945309)); }
template <class T> __device__ Complex<T> expm1(Complex<T> z) { return exp(z) - T(1); }

template <class T> __device__ Complex<T> sqrt(Complex<T> z) {
    if (z.re == 0 && z.im == 0) return {T(0), z.im};
    if (std::isinf(z.im)) return {std::numeric_limits<T>::infinity(), z.im};
    if (std::isinf(z.re)) {
        const T other = z.im != z.im ? z.im : T(0);
        return z.re > 0 ? Complex<T>(z.re, std::copysign(other, z.im))
                        : Complex<T>(other, std::copysign(std::numeric_limits<T>::infinity(), z.im));
    }
    // quarters, which cannot overflow
    const T root = std::sqrt(std::fabs(z.re) / 8 + std::hypot(z.re / 8, z.im / 8)), t = 2 * root;
    if (z.re >= 0) return {t, z.im / (2 * t)};
    return {std::fabs(z.im) / (2 * t), std::copysign(t, z.im)};
}
template <class T> __device__ Complex<T> sinh(Complex<T> z) {
    if (z.im == 0) return {std::sinh(z.re), z.im};
    return {std::sinh(z.re) * std::cos(z.im), std::cosh(z.re) * std::sin(z.im)};
}
template <class T> __device__ Complex<T> cosh(Complex<T> z) {
    if (z.im == 0) return {std::cosh(z.re), std::copysign(z.im, z.re * z.im)};
    return {std::cosh(z.re) * std::cos(z.im), std::sinh(z.re) * std::sin(z.im)};
}
template <class T> __device__ Complex<T> tanh(Complex<T> z) {
    if (std::fabs(z.re) > 20) // beyond, the real part is one
        return {std::copysign(T(1), z.re),
                std::isfinite(z.im) ? 4 * std::sin(z.im) * std::cos(z.im) * std::exp(-2 * std::fabs(z.re)) : T(0)};
    const T t = std::tan(z.im), beta = 1 + t * t, s = std::sinh(z.re), rho = std::sqrt(1 + s * s);
    const T norm = 1 + beta * s * s;
    return {beta * rho * s / norm, t / norm};
}
/// `-i z` and `i z` without a product's zeros.
template <class T> __device__ Complex<T> turned_right(Complex<T> z) { return {z.im, -z.re}; }
template <class T> __device__ Complex<T> turned_left(Complex<T> z) { return {-z.im, z.re}; }
template <class T> __device__ Complex<T> sin(Complex<T> z) { return turned_right(sinh(turned_left(z))); }
template <class T> __device__ Complex<T> cos(Complex<T> z) { return cosh(turned_left(z)); }
template <class T> __device__ Complex<T> tan(Complex<T> z) { return turned_right(tanh(turned_left(z))); }

/// 1 - z and 1 + z with the imaginary part's own zero, on whose sign the side of a cut depends.
template <class T> __device__ Complex<T> below_one(Complex<T> z) { return {1 - z.re, -z.im}; }
template <class T> __device__ Complex<T> above_one(Complex<T> z) { return {1 + z.re, z.im}; }
template <class T> __device__ Complex<T> asin(Complex<T> z) {
    const Complex<T> low = sqrt(below_one(z)), high = sqrt(above_one(z));
    return {std::atan2(z.re, (low * high).re), std::asinh((conj(low) * high).im)};
}
template <class T> __device__ Complex<T> acos(Complex<T> z) {
    const Complex<T> low = sqrt(below_one(z)), high = sqrt(above_one(z));
    return {2 * std::atan2(low.re, high.re), std::asinh((conj(high) * low).im)};
}
template <class T> __device__ Complex<T> acosh(Complex<T> z) {
    const Complex<T> low = sqrt(Complex<T>(z.re - 1, z.im)), high = sqrt(above_one(z));
    return {std::asinh((conj(low) * high).re), 2 * std::atan2(low.im, high.re)};
}
template <class T> __device__ Complex<T> asinh(Complex<T> z) { return turned_right(asin(turned_left(z))); }
template <class T> __device__ Complex<T> atanh(Complex<T> z) {
    constexpr T right_angle = T(1.57079632679489661923);
    if (std::isinf(z.re) || std::isinf(z.im)) return {std::copysign(T(0), z.re), std::copysign(right_angle, z.im)};
    const T left = 1 - z.re, square = z.im * z.im;
    return {T(0.25) * std::log1p(4 * z.re / (left * left + square)),
            T(0.5) * std::atan2(2 * z.im, left * (1 + z.re) - square)};
}
template <class T> __device__ Complex<T> atan(Complex<T> z) { return turned_right(atanh(turned_left(z))); }
template <class T> __device__ Complex<T> pow(Complex<T> a, Complex<T> b) {
    if (a.re == 0 && a.im == 0 && b.re > 0) return {T(0), T(0)};
    return exp(b * log(a));
}

} // namespace reel::cuda

template <class T> struct reel::math::is_complex<reel::cuda::Complex<T>> : std::true_type {};
template <class T> struct reel::math::widened<reel::cuda::Complex<T>> { using type = reel::cuda::Complex<double>; };
