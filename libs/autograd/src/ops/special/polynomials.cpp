// Orthogonal polynomials of integer degree n; zero for negative n. Derivatives follow the recurrences.
#include "cpu/jet.hpp"
#include "ops/pointwise/run.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/special/polynomials.hpp>

namespace reel {

using namespace pointwise;
using reel::detail::wrapped_number;

namespace {

constexpr int most_derivatives = 4;
/// Recurrences whose values stay bounded take as many steps as the degree is great, and as many roundings.
constexpr std::int64_t most_steps = std::int64_t(1) << 24;

/// p_0, p_1 and `next(k, p_k, p_(k-1))` up to degree n.
template <class S, class F> S recur(S first, S second, std::int64_t n, F next) {
    if (n == 0) return first;
    S p = first, q = second;
    for (std::int64_t k = 1; k < n && value_of(q) == value_of(q); ++k) {
        const S r = next(double(k), q, p);
        p = q;
        q = r;
    }
    return q;
}
double sign_of(std::int64_t n) { return n % 2 == 0 ? 1 : -1; }

// Each family: its recurrence for numbers and for jets, and the value, which may be had in another way.
template <class S> S chebyshev(S second, S x, std::int64_t n) {
    return recur(S(1), second, n, [x](double, S q, S p) { return S(2) * x * q - p; });
}
struct ChebyshevT {
    template <class S> static S recurrence(S x, std::int64_t n) { return chebyshev(x, x, n); }
    static double value(double x, std::int64_t n) {
        if (std::abs(x) == 1) return x > 0 ? 1 : sign_of(n);
        if (n > 6 && std::abs(x) < 1) return std::cos(double(n) * std::acos(x));
        return recurrence(x, n);
    }
};
struct ChebyshevU {
    template <class S> static S recurrence(S x, std::int64_t n) { return chebyshev(S(2) * x, x, n); }
    static double value(double x, std::int64_t n) {
        if (std::abs(x) == 1) return (double(n) + 1) * (x > 0 ? 1 : sign_of(n));
        if (n > 8 && std::abs(x) < 1) return std::sin((double(n) + 1) * std::acos(x)) / std::sin(std::acos(x));
        return recurrence(x, n);
    }
};
struct ChebyshevV {
    template <class S> static S recurrence(S x, std::int64_t n) { return chebyshev(S(2) * x - S(1), x, n); }
    static double value(double x, std::int64_t n) {
        if (std::abs(x) == 1) return x > 0 ? 1 : (2 * double(n) + 1) * sign_of(n);
        if (n > 8 && std::abs(x) < 1) return std::cos((double(n) + 0.5) * std::acos(x)) / std::cos(std::acos(x) / 2);
        return recurrence(x, n);
    }
};
struct ChebyshevW {
    template <class S> static S recurrence(S x, std::int64_t n) { return chebyshev(S(2) * x + S(1), x, n); }
    static double value(double x, std::int64_t n) {
        if (std::abs(x) == 1) return x > 0 ? (2 * double(n) + 1) : sign_of(n);
        if (n > 8 && std::abs(x) < 1) return std::sin((double(n) + 0.5) * std::acos(x)) / std::sin(std::acos(x) / 2);
        return recurrence(x, n);
    }
};
template <class Family> struct Shifted {
    template <class S> static S recurrence(S x, std::int64_t n) { return Family::recurrence(S(2) * x - S(1), n); }
    static double value(double x, std::int64_t n) { return Family::value(2 * x - 1, n); }
};
struct HermiteH {
    template <class S> static S recurrence(S x, std::int64_t n) {
        return recur(S(1), S(2) * x, n, [x](double k, S q, S p) { return S(2) * x * q - S(2 * k) * p; });
    }
    static double value(double x, std::int64_t n) { return recurrence(x, n); }
};
struct HermiteHe {
    template <class S> static S recurrence(S x, std::int64_t n) {
        return recur(S(1), x, n, [x](double k, S q, S p) { return x * q - S(k) * p; });
    }
    static double value(double x, std::int64_t n) { return recurrence(x, n); }
};
struct Laguerre {
    static constexpr bool by_recurrence_alone = true;
    template <class S> static S recurrence(S x, std::int64_t n) {
        return recur(S(1), S(1) - x, n,
                     [x](double k, S q, S p) { return ((S(2 * k) + (S(1) - x)) * q - S(k) * p) / S(k + 1); });
    }
    static double value(double x, std::int64_t n) { return x == 0 ? 1 : recurrence(x, n); }
};
struct Legendre {
    static constexpr bool by_recurrence_alone = true;
    template <class S> static S recurrence(S x, std::int64_t n) {
        return recur(S(1), x, n, [x](double k, S q, S p) { return (S(2 * k + 1) * x * q - S(k) * p) / S(k + 1); });
    }
    static double value(double x, std::int64_t n) {
        if (std::abs(x) == 1) return x > 0 ? 1 : sign_of(n);
        return recurrence(x, n);
    }
};

/// The derivative of some order at x.
template <class Family> double derivative(double x, std::int64_t n, int order) {
    if (order == 0) return Family::value(x, n);
    if (order == 1) return Family::recurrence(Jet<1>::variable(x), n).derivative(1);
    return Family::recurrence(Jet<most_derivatives>::variable(x), n).derivative(order);
}
/// The family's polynomial of degree n at x, or its derivative, on behalf of `name`.
template <class Family> struct polynomial_op : binary<Result::ToFloat, floating, a | b, none>, host_only {
    const char* name;
    int order;
    polynomial_op(const char* op, int derivatives) : name(op), order(derivatives) {
        REEL_CHECK_NOT_IMPLEMENTED(order <= most_derivatives, name, ": derivatives beyond order ", most_derivatives,
                                   " are not implemented");
    }
    template <class T> T f(T x, T degree) const {
        if (degree != degree) return std::numeric_limits<T>::quiet_NaN();
        if (degree <= T(-1)) return T(0); // above, fractions are dropped
        const bool steps = order > 0 || requires { Family::by_recurrence_alone; };
        REEL_CHECK_VALUE(!steps || degree <= T(most_steps), name, ": n is ", degree, "; expected a degree of at most ",
                         most_steps);
        if (!(double(degree) < 9223372036854775808.0)) return std::numeric_limits<T>::quiet_NaN();
        return T(derivative<Family>(double(x), std::int64_t(degree), order));
    }
    /// The degree is a whole number: nothing moves with it.
    Tensor da(const Tensor& g, const Tensor& x, const Tensor& n, const Tensor&) const {
        return g * apply(name, polynomial_op(name, order + 1), x, n);
    }
    Tensor db(const Tensor& g, const Tensor&, const Tensor&, const Tensor&) const { return zeros_like(g); }
};
template <class Family> Tensor polynomial(const char* name, const Tensor& x, const Tensor& n) {
    return apply(name, polynomial_op<Family>(name, 0), x, n);
}

} // namespace

#define REEL_POLYNOMIAL(name, Family)                                                                                  \
    Tensor special_##name(const Tensor& x, const Tensor& n) { return polynomial<Family>("special." #name, x, n); }     \
    Tensor special_##name(const Tensor& x, const Scalar& n) { return special_##name(x, wrapped_number(n)); }           \
    Tensor special_##name(const Scalar& x, const Tensor& n) { return special_##name(wrapped_number(x), n); }

REEL_OP("special.chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.chebyshev_polynomial_t(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.chebyshev_polynomial_t(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(chebyshev_polynomial_t, ChebyshevT)
REEL_OP("special.chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.chebyshev_polynomial_u(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.chebyshev_polynomial_u(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(chebyshev_polynomial_u, ChebyshevU)
REEL_OP("special.chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.chebyshev_polynomial_v(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.chebyshev_polynomial_v(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(chebyshev_polynomial_v, ChebyshevV)
REEL_OP("special.chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.chebyshev_polynomial_w(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.chebyshev_polynomial_w(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(chebyshev_polynomial_w, ChebyshevW)
REEL_OP("special.hermite_polynomial_h(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.hermite_polynomial_h(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.hermite_polynomial_h(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(hermite_polynomial_h, HermiteH)
REEL_OP("special.hermite_polynomial_he(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.hermite_polynomial_he(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.hermite_polynomial_he(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(hermite_polynomial_he, HermiteHe)
REEL_OP("special.laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.laguerre_polynomial_l(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.laguerre_polynomial_l(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(laguerre_polynomial_l, Laguerre)
REEL_OP("special.legendre_polynomial_p(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.legendre_polynomial_p(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.legendre_polynomial_p(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(legendre_polynomial_p, Legendre)
REEL_OP("special.shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.shifted_chebyshev_polynomial_t(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.shifted_chebyshev_polynomial_t(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(shifted_chebyshev_polynomial_t, Shifted<ChebyshevT>)
REEL_OP("special.shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.shifted_chebyshev_polynomial_u(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.shifted_chebyshev_polynomial_u(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(shifted_chebyshev_polynomial_u, Shifted<ChebyshevU>)
REEL_OP("special.shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.shifted_chebyshev_polynomial_v(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.shifted_chebyshev_polynomial_v(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(shifted_chebyshev_polynomial_v, Shifted<ChebyshevV>)
REEL_OP("special.shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", rule, out)
REEL_OP("special.shifted_chebyshev_polynomial_w(Tensor x, Scalar n) -> Tensor", rule, out)
REEL_OP("special.shifted_chebyshev_polynomial_w(Scalar x, Tensor n) -> Tensor", rule, out)
REEL_POLYNOMIAL(shifted_chebyshev_polynomial_w, Shifted<ChebyshevW>)

} // namespace reel
