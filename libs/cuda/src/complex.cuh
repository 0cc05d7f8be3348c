// Complex numbers on the device, laid out as std::complex, whose functions the device does not have.
#pragma once

#include <cmath>
#include <limits>

#include <cuda_runtime.h>

namespace reel::cuda {

template <class T> struct Complex {
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
    friend __host__ __device__ constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
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
