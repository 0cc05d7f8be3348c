// Complex numbers on the device, laid out as std::complex, whose functions the device does not have.
#pragma once

#include <cmath>
#include <limits>

#include <cuda_runtime.h>

namespace reel::cuda {

template <class T> struct Complex {
    using value_type = T;
    T re, im;

    Complex() = default;
    __host__ __device__ constexpr Complex(T r, T i = T(0)) : re(r), im(i) {}
    template <class U> __host__ __device__ explicit constexpr Complex(const Complex<U>& o) : re(T(o.re)), im(T(o.im)) {}

    friend __host__ __device__ constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend __host__ __device__ constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend __host__ __device__ constexpr Complex operator-(Complex a) { return {-a.re, -a.im}; }
    friend __host__ __device__ constexpr Complex operator*(Complex a, Complex b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend __host__ __device__ constexpr Complex operator*(Complex a, T b) { return {a.re * b, a.im * b}; }
    friend __host__ __device__ constexpr Complex operator*(T a, Complex b) { return {a * b.re, a * b.im}; }
    friend __host__ __device__ constexpr Complex operator/(Complex a, T b) { return {a.re / b, a.im / b}; }
    /// The divisor is scaled, so that its square neither overflows nor vanishes.
    friend __device__ Complex operator/(Complex a, Complex b) {
        const T size = std::fmax(std::fabs(b.re), std::fabs(b.im));
        if (size == 0 || !std::isfinite(size)) return by_a_bound(a, b, size);
        const T c = b.re / size, d = b.im / size, norm = (c * c + d * d) * size;
        return {(a.re * c + a.im * d) / norm, (a.im * c - a.re * d) / norm};
    }
    __device__ Complex& operator+=(Complex b) { return *this = *this + b; }
    __device__ Complex& operator*=(Complex b) { return *this = *this * b; }
    friend __host__ __device__ constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
    friend __host__ __device__ constexpr bool operator!=(Complex a, Complex b) { return !(a == b); }
    __host__ __device__ constexpr T real() const { return re; }
    __host__ __device__ constexpr T imag() const { return im; }

private:
    /// By zero, as C's annex G has it, and by what is infinite.
    static __device__ Complex by_a_bound(Complex a, Complex b, T size) {
        if (size == 0) {
            const T infinite = std::copysign(std::numeric_limits<T>::infinity(), b.re);
            return {infinite * a.re, infinite * a.im};
        }
        if (size != size || !std::isfinite(a.re) || !std::isfinite(a.im)) return {a.re / size, a.im / size};
        const T c = std::copysign(std::isinf(b.re) ? T(1) : T(0), b.re),
                d = std::copysign(std::isinf(b.im) ? T(1) : T(0), b.im);
        return {T(0) * (a.re * c + a.im * d), T(0) * (a.im * c - a.re * d)};
    }
};

template <class T> inline constexpr bool is_complex_number = false;
template <class T> inline constexpr bool is_complex_number<Complex<T>> = true;

/// The real type that goes with a number.
template <class T> struct RealOf { using type = T; };
template <class T> struct RealOf<Complex<T>> { using type = T; };
template <class T> using real_t = typename RealOf<T>::type;

template <class T> __device__ real_t<T> real_part(T x) {
    if constexpr (is_complex_number<T>) return x.re;
    else return x;
}
template <class T> __device__ bool is_nan(T x) {
    if constexpr (is_complex_number<T>) return x.re != x.re || x.im != x.im;
    else return x != x;
}
/// |x|^2 and |x|.
template <class T> __device__ real_t<T> squared_modulus(T x) {
    if constexpr (is_complex_number<T>) return x.re * x.re + x.im * x.im;
    else return x * x;
}
template <class T> __device__ real_t<T> modulus(T x) {
    if constexpr (is_complex_number<T>) return std::hypot(x.re, x.im);
    else return std::abs(x);
}
/// e^x and log x.
template <class T> __device__ T exponential(T x) {
    if constexpr (is_complex_number<T>) {
        const real_t<T> size = std::exp(x.re);
        // a real number stays one, and zero times whatever the angle is stays zero
        if (x.im == 0) return T(size, x.im);
        return size == 0 ? T(0, 0) : T(size * std::cos(x.im), size * std::sin(x.im));
    } else return std::exp(x);
}
template <class T> __device__ T logarithm(T x) {
    if constexpr (is_complex_number<T>) return T(std::log(modulus(x)), std::atan2(x.im, x.re));
    else return std::log(x);
}

} // namespace reel::cuda
