// Operations on the bits of integers and bools, and on their divisors.
#pragma once

#include <cstdint>
#include <numeric>

#include <reel/autograd/pointwise/integer_loops.hpp>
#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// The absolute value without a sign: that of the least number fits, too.
template <class T> REEL_HD std::uint64_t magnitude(T x) { return x < 0 ? 0 - std::uint64_t(x) : std::uint64_t(x); }

REEL_OP("bitwise_and(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_and(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_and(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
struct bitwise_and_op : binary<Result::Same, integral | boolean>, integer_loops {
    template <class T> REEL_HD T f(T x, T o) const { return T(x & o); }
};
REEL_OP("bitwise_or(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_or(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_or(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
struct bitwise_or_op : binary<Result::Same, integral | boolean>, integer_loops {
    template <class T> REEL_HD T f(T x, T o) const { return T(x | o); }
};
REEL_OP("bitwise_xor(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_xor(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_xor(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
struct bitwise_xor_op : binary<Result::Same, integral | boolean>, integer_loops {
    template <class T> REEL_HD T f(T x, T o) const { return T(x ^ o); }
};
REEL_OP("bitwise_not(Tensor input) -> Tensor", not_differentiable, method, out, inplace)
struct bitwise_not_op : unary<Result::Same, integral | boolean>, integer_loops {
    template <class T> REEL_HD T f(T x) const {
        if constexpr (std::is_same_v<T, bool>) return !x;
        else return T(~x);
    }
};

/// Shifts by a negative number or past the width give 0.
REEL_OP("bitwise_left_shift(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_left_shift(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_left_shift(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
struct bitwise_left_shift_op : binary<Result::Same, integral> {
    template <class T> REEL_HD T f(T x, T o) const {
        if (o < 0 || std::int64_t(o) >= std::int64_t(sizeof(T) * 8)) return 0;
        return T(std::make_unsigned_t<T>(x) << o);
    }
};
/// Arithmetic; shifts by a negative number or past the width leave only the sign.
REEL_OP("bitwise_right_shift(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_right_shift(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_right_shift(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
struct bitwise_right_shift_op : binary<Result::Same, integral> {
    template <class T> REEL_HD T f(T x, T o) const {
        constexpr std::int64_t bits = std::int64_t(sizeof(T) * 8) - (std::is_signed_v<T> ? 1 : 0);
        if (o < 0 || std::int64_t(o) >= bits) return x < 0 ? T(-1) : T(0);
        return T(x >> o);
    }
};

/// Greatest common divisor, never negative; gcd(0, 0) = 0.
REEL_OP("gcd(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
struct gcd_op : binary<Result::Same, integral> {
    template <class T> REEL_HD T f(T x, T o) const { return T(std::gcd(magnitude(x), magnitude(o))); }
};
/// Least common multiple, never negative; zero when either operand is.
REEL_OP("lcm(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
struct lcm_op : binary<Result::Same, integral> {
    template <class T> REEL_HD T f(T x, T o) const {
        const std::uint64_t p = magnitude(x), q = magnitude(o);
        if (p == 0 || q == 0) return 0;
        const T r = T(p / std::gcd(p, q) * q);
        return r < 0 ? T(0 - std::make_unsigned_t<T>(r)) : r;
    }
};

} // namespace reel::pointwise
