// Quotients that are rounded, and what is left of them. Divisors of integers are not zero.
#pragma once

#include <cmath>

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// The quotient, rounded down.
struct floor_divide_op : binary<Result::Same, reals>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (std::is_integral_v<T>) {
            if constexpr (std::is_signed_v<T>)
                if (o == T(-1)) return T(0 - std::make_unsigned_t<T>(x));
            const T q = T(x / o);
            return (x % o != 0 && (x < 0) != (o < 0)) ? T(q - 1) : q;
        } else {
            const T zero = constant<T>(0), one = constant<T>(1), rest = fmod(x, o), plain = (x - rest) / o;
            const T q = where(rest * copysign(one, o) < zero, plain - one, plain), whole = floor(q);
            const T nearest = where(q - whole > constant<T>(0.5), whole + one, whole);
            return where(o == zero, x / o, where(q == zero, copysign(zero, x / o), nearest));
        }
    }
    template <class T> T da(T g, T, T, T) const { return zeros_like(g); }
    template <class T> T db(T g, T, T, T) const { return zeros_like(g); }
};
/// The quotient of integers, rounded towards zero.
struct trunc_divide_op : binary<Result::Same, integral> {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (std::is_signed_v<T>)
            if (o == T(-1)) return T(0 - std::make_unsigned_t<T>(x));
        return T(x / o);
    }
};
/// x - o floor(x / o): the sign of the divisor.
struct remainder_op : binary<Result::Same, reals, none, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (std::is_integral_v<T>) {
            if constexpr (std::is_signed_v<T>)
                if (o == T(-1)) return 0;
            const T r = T(x % o);
            return r != 0 && (r < 0) != (o < 0) ? T(r + o) : r;
        } else {
            const T r = fmod(x, o);
            return where(r * copysign(constant<T>(1), o) < constant<T>(0), r + o,
                         r); // the signs differ, and something is left
        }
    }
    template <class T> T da(T g, T, T, T) const { return g; }
    template <class T> T db(T g, T x, T o, T) const { return -g * div(x, o, "floor"); }
};
/// x - o trunc(x / o): the sign of the dividend.
struct fmod_op : binary<Result::Same, reals, none, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (std::is_integral_v<T>) {
            if constexpr (std::is_signed_v<T>)
                if (o == T(-1)) return 0;
            return T(x % o);
        } else return fmod(x, o);
    }
    template <class T> T da(T g, T, T, T) const { return g; }
    template <class T> T db(T g, T x, T o, T) const { return -g * div(x, o, "trunc"); }
};

} // namespace reel::pointwise
