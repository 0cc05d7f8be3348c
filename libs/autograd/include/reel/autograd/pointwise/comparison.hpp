// Comparisons and predicates: what gives a bool for each element.
#pragma once

#include <cmath>
#include <limits>

#include <reel/autograd/pointwise/integer_loops.hpp>
#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

REEL_OP("eq(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("eq(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
struct eq_op : binary<Result::Same, anything>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const { return x == o; }
};
REEL_OP("ne(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("not_equal"))
REEL_OP("ne(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
struct ne_op : binary<Result::Same, anything>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const { return x != o; }
};
REEL_OP("lt(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("less"))
REEL_OP("lt(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
struct lt_op : binary<Result::Same, ordered>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const { return x < o; }
};
REEL_OP("le(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("less_equal"))
REEL_OP("le(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
struct le_op : binary<Result::Same, ordered>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const { return x <= o; }
};
REEL_OP("gt(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("greater"))
REEL_OP("gt(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
struct gt_op : binary<Result::Same, ordered>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const { return x > o; }
};
REEL_OP("ge(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("greater_equal"))
REEL_OP("ge(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
struct ge_op : binary<Result::Same, ordered>, vector_form, integer_loops {
    template <class T> REEL_HD auto f(T x, T o) const { return x >= o; }
};

namespace detail {
inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// Is x as large as infinity, of vectors for each element?
template <class T> REEL_HD auto is_infinite(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::abs(x) == T(infinity);
    else return abs(x) == constant<T>(infinity);
}
} // namespace detail

REEL_OP("isnan(Tensor input) -> Tensor", not_differentiable, method)
struct isnan_op : unary<Result::Same, anything>, vector_form {
    template <class T> REEL_HD auto f(T x) const { return x != x; } // of complex numbers either part
};
REEL_OP("isinf(Tensor input) -> Tensor", not_differentiable, method)
struct isinf_op : unary<Result::Same, anything>, vector_form {
    template <class T> REEL_HD auto f(T x) const {
        if constexpr (is_complex<T>::value) return std::isinf(x.real()) || std::isinf(x.imag());
        else if constexpr (std::is_integral_v<T>) return false;
        else return detail::is_infinite(x);
    }
};
REEL_OP("isfinite(Tensor input) -> Tensor", not_differentiable, method)
struct isfinite_op : unary<Result::Same, anything>, vector_form {
    template <class T> REEL_HD auto f(T x) const {
        if constexpr (is_complex<T>::value) return std::isfinite(x.real()) && std::isfinite(x.imag());
        else if constexpr (std::is_integral_v<T>) return true;
        else return x - x == constant<T>(0); // else it is NaN
    }
};
REEL_OP("isposinf(Tensor input) -> Tensor", not_differentiable, method, out)
struct isposinf_op : unary<Result::Same, ordered>, vector_form {
    template <class T> REEL_HD auto f(T x) const {
        if constexpr (std::is_integral_v<T>) return false;
        else return x == constant<T>(detail::infinity);
    }
};
REEL_OP("isneginf(Tensor input) -> Tensor", not_differentiable, method, out)
struct isneginf_op : unary<Result::Same, ordered>, vector_form {
    template <class T> REEL_HD auto f(T x) const {
        if constexpr (std::is_integral_v<T>) return false;
        else return x == constant<T>(-detail::infinity);
    }
};
/// Is the imaginary part zero? True for every real element.
REEL_OP("isreal(Tensor input) -> Tensor", not_differentiable, method)
struct isreal_op : unary<Result::Same, anything> {
    template <class T> REEL_HD bool f(T x) const {
        if constexpr (is_complex<T>::value) return x.imag() == 0;
        else return true;
    }
};

} // namespace reel::pointwise
