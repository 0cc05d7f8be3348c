// Parts of floating numbers: sign, neighbours, mantissa and exponent; the step.
#pragma once

#include <cmath>
#include <cstdint>

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// The magnitude of `input` with the sign of `other`.  gx = g y / x, zero at x = 0
REEL_OP("copysign(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
REEL_OP("copysign(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
struct copysign_op : binary<Result::ToFloat, floating, a | y, none>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const { return copysign(x, o); }
    template <class T> T da(T g, T x, T, T y) const { return g * masked_fill(y / x, x == 0, 0); }
    template <class T> T db(T g, T, T, T) const { return zeros_like(g); }
};

/// The next representable number after x towards o: x itself up to rounding; at equality it is o. `Stored` is the
/// 16-bit type in which the number is the next one, or void.
template <class Stored> struct nextafter_op : binary<Result::Same, floating, a | b, a | b> {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (std::is_void_v<Stored>) return std::nextafter(x, o);
        else return T(next_stored(float(x), float(o)));
    }
    template <class T> T da(T g, T x, T o, T) const { return masked_fill(g, x == o, 0); }
    template <class T> T db(T g, T x, T o, T) const { return where(x == o, g, 0); }

private:
    REEL_HD static float next_stored(float x, float toward) {
        if (x != x || toward != toward) return x + toward;
        if (x == toward) return toward;
        if (x == 0) return float(Stored::from_bits(toward > 0 ? 1 : 0x8001));
        const std::uint16_t bits = Stored(x).bits;
        return float(Stored::from_bits(std::uint16_t((x < toward) == (x > 0) ? bits + 1 : bits - 1)));
    }
};

/// Is the sign bit set? True for -0; false for every unsigned or bool element.
REEL_OP("signbit(Tensor input) -> Tensor", not_differentiable, method, out)
struct signbit_op : unary<Result::Same, reals | boolean> {
    template <class T> REEL_HD bool f(T x) const {
        if constexpr (std::is_floating_point_v<T>) return std::signbit(x);
        else if constexpr (std::is_signed_v<T>) return x < 0;
        else return false;
    }
};

/// The two parts of `frexp`: x = mantissa 2^exponent.
struct mantissa_op : unary<Result::Same, floating> {
    template <class T> REEL_HD T f(T x) const {
        int e;
        return std::frexp(x, &e);
    }
};
struct exponent_op : unary<Result::Same, floating> {
    template <class T> REEL_HD std::int32_t f(T x) const {
        int e = 0;
        std::frexp(x, &e);
        return std::isfinite(x) ? e : 0;
    }
};

/// 0 for negative, 1 for positive elements, `values` at zero: those have the gradient there.
REEL_OP("heaviside(Tensor input, Tensor values) -> Tensor", rule, method, out, inplace)
struct heaviside_op : binary<Result::Same, reals | boolean, none, a> {
    template <class T> REEL_HD T f(T x, T v) const { return x == 0 ? v : T(x > 0); }
    template <class T> T da(T g, T, T, T) const { return zeros_like(g); }
    template <class T> T db(T g, T x, T, T) const { return where(x == 0, g, 0); }
    void check(const char* op, const Tensor& x, const Tensor& v) const {
        REEL_CHECK(!x.is_complex() && !v.is_complex(), op, ": complex tensors have no order");
        REEL_CHECK(x.scalar_type() == v.scalar_type(), op, ": input is ", dtype_name(x.scalar_type()),
                   " and values is ", dtype_name(v.scalar_type()), "; expected one dtype");
    }
};

} // namespace reel::pointwise
