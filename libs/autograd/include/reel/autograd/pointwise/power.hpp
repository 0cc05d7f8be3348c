// Powers.
#pragma once

#include <cmath>

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// d(x^o) = o x^(o-1) dx + x^o log(x) do; the derivatives treat zero bases and exponents and stand with the op. Powers
/// of integers wrap; a negative exponent gives what is left of the quotient.
struct pow_op : binary<Result::Same, all_numbers, a | b, a | b>, vector_form {
    static constexpr bool number_is_operand = false;
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (math::is_complex<T>::value) {
            using std::pow; // and the device's, which its type brings along
            return o == T(0) ? T(1) : pow(x, o);
        } else if constexpr (std::is_integral_v<T>) return whole_power(x, o);
        else return pow(x, o);
    }
    template <class T> REEL_HD static T whole_power(T x, T o) {
        if (o < 0) return x == 1 ? T(1) : x == T(-1) ? (o % 2 == 0 ? T(1) : T(-1)) : T(0);
        using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>; // overflow wraps
        U r = 1, base = U(x);
        for (U e = U(o); e; e >>= 1) {
            if (e & 1) r = U(r * base);
            base = U(base * base);
        }
        return T(r);
    }
    Tensor da(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor& y) const;
    Tensor db(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor& y) const;
};
/// x to a small whole number, by a few products: 3, 4, -1, -2.  d/dx = n x^(n-1)
struct few_factors_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    int exponent;
    explicit few_factors_op(int n) : exponent(n) {}
    template <class T> REEL_HD T f(T x) const {
        if (exponent > 0) return exponent == 3 ? x * x * x : (x * x) * (x * x);
        const T inverse = constant<T>(1) / x; // squared after it: the square of x may overflow where this is a number
        return exponent == -1 ? inverse : inverse * inverse;
    }
    template <class T> T df(T g, T x, T) const { return g * (pow(x, Scalar(exponent - 1)) * Scalar(exponent)); }
    /// Is a power of this exponent one of them?
    static bool takes(const Scalar& n) { return n.equal(3) || n.equal(4) || n.equal(-1) || n.equal(-2); }
};
/// sqrt(x^2 + o^2), without overflow.  gx = g x / y, zero at the origin as a norm's.
REEL_OP("hypot(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
struct hypot_op : binary<Result::Same, floating, a | b, a | b>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x, T o) const { return hypot(x, o); }
    template <class T> REEL_HD T da(T g, T x, T o, T) const { return g * (x / length(x, o)); }
    template <class T> REEL_HD T db(T g, T x, T o, T) const { return g * (o / length(x, o)); }

private:
    /// One and the same expression in both, which is computed once then; 1 at the origin.
    template <class T> REEL_HD static T length(T x, T o) {
        const T y = hypot(x, o);
        return where(y == constant<T>(0), constant<T>(1), y);
    }
};
/// The cube root, of negative numbers, too.  d/dx = 1 / (3 y^2)
REEL_OP("cbrt(Tensor input) -> Tensor", rule, method, out, inplace, samples(call(numbers({3, 4}))))
struct cbrt_op : unary<Result::ToFloat, floating, Saves::Output> {
    template <class T> REEL_HD T f(T x) const { return std::cbrt(x); }
    template <class T> T df(T g, T, T o) const { return g / (o * o * 3); }
};

} // namespace reel::pointwise
