// Logarithms of sums and products, and their kin.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// log(e^x + e^o), without overflow.  gx = g sigmoid(x - o)
REEL_OP("logaddexp(Tensor input, Tensor other) -> Tensor", rule, method, out)
struct logaddexp_op : binary<Result::Same, floating | complex, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (math::is_complex<T>::value) return of_complex(x, o);
        else {
            // of equal ones no difference: infinities have none
            return maximum(x, o) + log1p(exp(-where(x == o, constant<T>(0), abs(x - o))));
        }
    }
    template <class T> T da(T g, T x, T o, T) const { return g * conj(sigmoid(x - o)); }
    template <class T> T db(T g, T x, T o, T) const { return g * conj(sigmoid(o - x)); }

private:
    template <class T> REEL_HD static T of_complex(T x, T o) {
        constexpr auto nan = std::numeric_limits<typename T::value_type>::quiet_NaN();
        if (x != x || o != o) return {nan, nan};
        const T low = x.real() < o.real() ? x : o, high = x.real() < o.real() ? o : x;
        if (!std::isfinite(low.real()) && low.real() == high.real())
            return low.real() < 0 ? low : log(exp(low) + exp(high));
        return high + log1p(exp(low - high));
    }
};
/// log2(2^x + 2^o), without overflow.  gx = g / (1 + 2^(o - x)) = g sigmoid((x - o) log 2)
REEL_OP("logaddexp2(Tensor input, Tensor other) -> Tensor", rule, method, out)
struct logaddexp2_op : binary<Result::Same, floating, a | b, a | b>, vector_form {
    static constexpr double log_2 = 0.693147180559945309;
    template <class T> REEL_HD T f(T x, T o) const {
        return maximum(x, o) +
               log1p(exp2(-where(x == o, constant<T>(0), abs(x - o)))) * constant<T>(1.442695040888963407);
    }
    template <class T> T da(T g, T x, T o, T) const { return g * sigmoid((x - o) * log_2); }
    template <class T> T db(T g, T x, T o, T) const { return g * sigmoid((o - x) * log_2); }
};

/// x log(o), zero where x is zero unless o is NaN.
REEL_OP("xlogy(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("special.xlogy"),
        domain(-infinity, infinity, 0, infinity))
REEL_OP("xlogy(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
REEL_OP("xlogy(Scalar input, Tensor other) -> Tensor", composite, out)
struct xlogy_op : binary<Result::ToFloat, floating, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const {
        return where(o != o, o, where(x == constant<T>(0), constant<T>(0), x * log(o)));
    }
    /// Where it is constant along o, and by convention along x.
    template <class T> T da(T g, T x, T o, T) const { return xlogy(g, masked_fill(o, logical_and(x == 0, o <= 0), 1)); }
    template <class T> T db(T g, T x, T o, T) const {
        return g * x / masked_fill(o, logical_and(x == 0, o <= 0), std::numeric_limits<double>::infinity());
    }
};
/// x log(1 + o), zero where x is zero unless o is NaN.
REEL_OP("special.xlog1py(Tensor input, Tensor other) -> Tensor", rule, out, domain(-infinity, infinity, -1, infinity))
REEL_OP("special.xlog1py(Tensor input, Scalar other) -> Tensor", composite, out)
REEL_OP("special.xlog1py(Scalar input, Tensor other) -> Tensor", composite, out)
struct xlog1py_op : binary<Result::ToFloat, floating, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T o) const {
        return where(o != o, o, where(x == constant<T>(0), constant<T>(0), x * log1p(o)));
    }
    template <class T> T da(T g, T x, T o, T) const {
        return special_xlog1py(g, masked_fill(o, logical_and(x == 0, o <= -1), 0));
    }
    template <class T> T db(T g, T x, T o, T) const {
        return g * x / masked_fill(o + 1, logical_and(x == 0, o <= -1), std::numeric_limits<double>::infinity());
    }
};

/// log(x / (1 - x)); with `eps`, x is first brought into [eps, 1 - eps].
REEL_OP("logit(Tensor input, float? eps=None) -> Tensor", rule, method, out, inplace, alias("special.logit"),
        domain(0, 1))
struct logit_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form {
    double eps; ///< negative for none
    explicit logit_op(std::optional<double> e = std::nullopt) : eps(e.value_or(-1)) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        if (eps >= 0)
            x = where(x < constant<T>(eps), constant<T>(eps), where(x > constant<T>(1 - eps), constant<T>(1 - eps), x));
        return log(x / (constant<T>(1) - x));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const double low = eps >= 0 ? eps : 0, outside = eps >= 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
        // The formula sees only what it is used for: second derivatives are finite, too.
        const T within =
            where(x < constant<T>(low), constant<T>(0.5), where(x > constant<T>(1 - low), constant<T>(0.5), x));
        const T slope = g / (within * (constant<T>(1) - within));
        return where(x < constant<T>(low), constant<T>(outside),
                     where(x > constant<T>(1 - low), constant<T>(outside), slope));
    }
};
/// -x log(x); zero at 0, -infinity below.
REEL_OP("special.entr(Tensor input) -> Tensor", rule, out, domain(0, infinity))
struct entr_op : unary<Result::ToFloat, floating, Saves::Input> {
    template <class T> REEL_HD T f(T x) const {
        return x != x ? x : x > 0 ? -x * std::log(x) : x == 0 ? T(0) : -std::numeric_limits<T>::infinity();
    }
    template <class T> T df(T g, T x, T) const { return g * (-log(x) - 1); }
};

} // namespace reel::pointwise
