// Operations on the bits of integers and bools, and on their divisors.
#include "ops/pointwise/elementwise.hpp"

#include <numeric>

#include <reel/autograd/ops/pointwise/bitwise.hpp>

namespace reel {

using namespace elementwise;

namespace {
template <class T> constexpr int bits_of = int(sizeof(T) * 8) - (std::is_signed_v<T> ? 1 : 0);
struct LeftShift {
    template <class T> T operator()(T x, T o) const {
        if (o < 0 || std::int64_t(o) >= std::int64_t(sizeof(T) * 8)) return 0;
        return T(std::make_unsigned_t<T>(x) << o);
    }
};
struct RightShift {
    template <class T> T operator()(T x, T o) const {
        if (o < 0 || std::int64_t(o) >= bits_of<T>) return x < 0 ? T(-1) : T(0);
        return T(x >> o);
    }
};
/// The absolute value without a sign: that of the least number fits, too.
template <class T> std::uint64_t magnitude(T x) { return x < 0 ? 0 - std::uint64_t(x) : std::uint64_t(x); }
struct Gcd {
    template <class T> T operator()(T x, T o) const { return T(std::gcd(magnitude(x), magnitude(o))); }
};
struct Lcm {
    template <class T> T operator()(T x, T o) const {
        const std::uint64_t a = magnitude(x), b = magnitude(o);
        if (a == 0 || b == 0) return 0;
        const T r = T(a / std::gcd(a, b) * b);
        return r < 0 ? T(0 - std::make_unsigned_t<T>(r)) : r;
    }
};
} // namespace

#define REEL_BITWISE(name, expression)                                                                                 \
    Tensor name(const Tensor& input, const Tensor& other) {                                                            \
        return map<Ints | Bools>(                                                                                      \
            #name, promoted(input, other), [](auto x, auto o) -> decltype(x) { return decltype(x)(expression); },      \
            input, other);                                                                                             \
    }                                                                                                                  \
    Tensor name(const Tensor& input, const Scalar& other) { return name(input, number(other)); }                       \
    Tensor name(const Scalar& input, const Tensor& other) { return name(number(input), other); }

REEL_OP("bitwise_and(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_and(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_and(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
REEL_BITWISE(bitwise_and, x& o)
REEL_OP("bitwise_or(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_or(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_or(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
REEL_BITWISE(bitwise_or, x | o)
REEL_OP("bitwise_xor(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_xor(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("bitwise_xor(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
REEL_BITWISE(bitwise_xor, x ^ o)

REEL_OP("bitwise_not(Tensor input) -> Tensor", not_differentiable, method, out, inplace)
Tensor bitwise_not(const Tensor& input) {
    return map<Ints | Bools>(
        "bitwise_not", input.scalar_type(),
        [](auto x) -> decltype(x) {
            if constexpr (std::is_same_v<decltype(x), bool>) return !x;
            else return decltype(x)(~x);
        },
        input);
}

/// Shifts by a negative number or past the width give 0.
REEL_OP("bitwise_left_shift(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
Tensor bitwise_left_shift(const Tensor& input, const Tensor& other) {
    return map<Ints>("bitwise_left_shift", promoted(input, other), LeftShift(), input, other);
}
REEL_OP("bitwise_left_shift(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
Tensor bitwise_left_shift(const Tensor& input, const Scalar& other) { return bitwise_left_shift(input, number(other)); }
REEL_OP("bitwise_left_shift(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
Tensor bitwise_left_shift(const Scalar& input, const Tensor& other) { return bitwise_left_shift(number(input), other); }

/// Arithmetic; shifts by a negative number or past the width leave only the sign.
REEL_OP("bitwise_right_shift(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
Tensor bitwise_right_shift(const Tensor& input, const Tensor& other) {
    return map<Ints>("bitwise_right_shift", promoted(input, other), RightShift(), input, other);
}
REEL_OP("bitwise_right_shift(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
Tensor bitwise_right_shift(const Tensor& input, const Scalar& other) {
    return bitwise_right_shift(input, number(other));
}
REEL_OP("bitwise_right_shift(Scalar input, Tensor other) -> Tensor", not_differentiable, out)
Tensor bitwise_right_shift(const Scalar& input, const Tensor& other) {
    return bitwise_right_shift(number(input), other);
}

/// Greatest common divisor, never negative; gcd(0, 0) = 0.
REEL_OP("gcd(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
Tensor gcd(const Tensor& input, const Tensor& other) {
    return map<Ints>("gcd", promoted(input, other), Gcd(), input, other);
}
/// Least common multiple, never negative; zero when either operand is.
REEL_OP("lcm(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
Tensor lcm(const Tensor& input, const Tensor& other) {
    return map<Ints>("lcm", promoted(input, other), Lcm(), input, other);
}

Tensor Tensor::operator~() const { return reel::bitwise_not(*this); }
Tensor& Tensor::operator&=(const Tensor& o) const { return reel::bitwise_and_(*this, o); }
Tensor& Tensor::operator|=(const Tensor& o) const { return reel::bitwise_or_(*this, o); }
Tensor& Tensor::operator^=(const Tensor& o) const { return reel::bitwise_xor_(*this, o); }

} // namespace reel
