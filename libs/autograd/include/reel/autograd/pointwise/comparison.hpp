// Comparisons and predicates: what gives a bool for each element.
#pragma once

#include <cmath>

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

REEL_OP("isnan(Tensor input) -> Tensor", not_differentiable, method)
struct isnan_op : unary<Result::Same, anything> {
    template <class T> REEL_HD bool f(T x) const { return x != x; } // of complex numbers either part
};
REEL_OP("isinf(Tensor input) -> Tensor", not_differentiable, method)
struct isinf_op : unary<Result::Same, anything> {
    template <class T> REEL_HD bool f(T x) const {
        if constexpr (is_complex<T>::value) return std::isinf(x.real()) || std::isinf(x.imag());
        else if constexpr (std::is_floating_point_v<T>) return std::isinf(x);
        else return false;
    }
};
REEL_OP("isfinite(Tensor input) -> Tensor", not_differentiable, method)
struct isfinite_op : unary<Result::Same, anything> {
    template <class T> REEL_HD bool f(T x) const {
        if constexpr (is_complex<T>::value) return std::isfinite(x.real()) && std::isfinite(x.imag());
        else if constexpr (std::is_floating_point_v<T>) return std::isfinite(x);
        else return true;
    }
};
REEL_OP("isposinf(Tensor input) -> Tensor", not_differentiable, method, out)
struct isposinf_op : unary<Result::Same, ordered> {
    template <class T> REEL_HD bool f(T x) const {
        if constexpr (std::is_floating_point_v<T>) return std::isinf(x) && x > 0;
        else return false;
    }
};
REEL_OP("isneginf(Tensor input) -> Tensor", not_differentiable, method, out)
struct isneginf_op : unary<Result::Same, ordered> {
    template <class T> REEL_HD bool f(T x) const {
        if constexpr (std::is_floating_point_v<T>) return std::isinf(x) && x < 0;
        else return false;
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
