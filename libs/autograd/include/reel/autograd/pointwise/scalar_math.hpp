// Elementary functions on single numbers under the names that scalar rules use; read by both compilers.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include <reel/autograd/half.hpp>

namespace reel::math {

template <class T> struct is_complex : std::false_type {};
template <class T> struct is_complex<std::complex<T>> : std::true_type {};
/// The same kind of number in double precision. A device's own complex numbers say theirs, and have the functions below
/// beside them.
template <class T> struct widened { using type = double; };
template <class T> struct widened<std::complex<T>> { using type = std::complex<double>; };

/// What integers compute in so that their results wrap: overflow of a signed type is undefined. Others stay themselves.
template <class T> REEL_HD auto wrapping(const T& x) {
    if constexpr (std::is_integral_v<T> &&
                  std::is_signed_v<T>) // narrow ones would be promoted to int, which is wide enough
        return std::make_unsigned_t<std::conditional_t<sizeof(T) < sizeof(int), int, T>>(x);
    else return x;
}

#define REEL_SCALAR_FN(name)                                                                                           \
    template <class T>                                                                                                 \
    requires(std::is_floating_point_v<T> || is_complex<T>::value) REEL_HD T name(T x) { return std::name(x); }
REEL_SCALAR_FN(exp)
REEL_SCALAR_FN(log)
REEL_SCALAR_FN(log10)
REEL_SCALAR_FN(sin)
REEL_SCALAR_FN(cos)
REEL_SCALAR_FN(tan)
REEL_SCALAR_FN(asin)
REEL_SCALAR_FN(acos)
REEL_SCALAR_FN(atan)
REEL_SCALAR_FN(sinh)
REEL_SCALAR_FN(cosh)
REEL_SCALAR_FN(tanh)
REEL_SCALAR_FN(asinh)
REEL_SCALAR_FN(acosh)
REEL_SCALAR_FN(atanh)
REEL_SCALAR_FN(sqrt)
#undef REEL_SCALAR_FN
#define REEL_REAL_FN(name)                                                                                             \
    template <class T>                                                                                                 \
    requires std::is_floating_point_v<T> REEL_HD T name(T x) { return std::name(x); }
REEL_REAL_FN(expm1)
REEL_REAL_FN(exp2)
REEL_REAL_FN(log1p)
REEL_REAL_FN(erf)
REEL_REAL_FN(erfc)
REEL_REAL_FN(floor)
REEL_REAL_FN(ceil)
REEL_REAL_FN(trunc)
#undef REEL_REAL_FN
template <class T>
requires std::is_floating_point_v<T> REEL_HD T round(T x) { return std::nearbyint(x); }
template <class T> std::complex<T> expm1(std::complex<T> x) { return std::exp(x) - T(1); }
template <class T> std::complex<T> exp2(std::complex<T> x) { return std::exp(x * T(0.693147180559945309)); }
template <class T> std::complex<T> log1p(std::complex<T> x) { return std::log(x + T(1)); }
template <class T>
requires(std::is_floating_point_v<T> || is_complex<T>::value) REEL_HD T log2(T x) {
    if constexpr (is_complex<T>::value) return std::log(x) / typename T::value_type(0.693147180559945309);
    else return std::log2(x);
}
template <class T> REEL_HD T rsqrt(T x) { return T(1) / sqrt(x); }
template <class T> REEL_HD T sigmoid(T x) { return T(1) / (T(1) + exp(-x)); }
template <class T> REEL_HD T conj(T x) {
    if constexpr (is_complex<T>::value) return std::conj(x);
    else return x;
}
template <class T>
requires std::is_arithmetic_v<T> REEL_HD T abs(T x) {
    if constexpr (std::is_unsigned_v<T>) return x;
    else return x < 0 ? T(-wrapping(x)) : (x == 0 ? T(0) : x);
}
template <class T> REEL_HD T where(bool c, T a, T b) { return c ? a : b; }
template <class T>
requires std::is_arithmetic_v<T> REEL_HD T maximum(T a, T b) { return a != a || a > b ? a : b; }
template <class T>
requires std::is_arithmetic_v<T> REEL_HD T minimum(T a, T b) { return a != a || a < b ? a : b; }
template <class T>
requires std::is_floating_point_v<T> REEL_HD T pow(T a, T b) { return std::pow(a, b); }
template <class T> std::complex<T> pow(std::complex<T> a, std::complex<T> b) { return std::pow(a, b); }
#define REEL_REAL_FN2(name)                                                                                            \
    template <class T>                                                                                                 \
    requires std::is_floating_point_v<T> REEL_HD T name(T a, T b) { return std::name(a, b); }
REEL_REAL_FN2(atan2)
REEL_REAL_FN2(copysign)
REEL_REAL_FN2(fmod)
REEL_REAL_FN2(hypot)
#undef REEL_REAL_FN2

} // namespace reel::math
