// The sine over its argument.
#pragma once

#include <cmath>
#include <complex>

#include <reel/autograd/pointwise/rule.hpp>
#if defined(REEL_ISA)
#include <reel/autograd/detail/cpu/sine_over.hpp> // what the vector form of sinc_slope_op calls
#endif

namespace reel::pointwise {

inline constexpr double sinc_pi = 3.14159265358979323846;

/// n-th derivative of sin(z) / z in double precision, real or complex. Near zero its power series, with terms
/// (-1)^k z^m / (m! (n + m + 1)) for n + m = 2k; elsewhere the n-th derivatives of both sides of z f(z) = sin(z).
template <class W> REEL_HD W sine_over(int n, W z) {
    if (abs(z) < (n > 2 ? 0.5 * n : 1.0)) {
        W power = n % 2 ? z : W(1), sum = 0; // z^m / m!
        for (int m = n % 2; m < 60 + n; m += 2) {
            const W term = power * (((n + m) / 2 % 2 ? -1.0 : 1.0) / double(n + m + 1));
            sum += term;
            if (abs(term) <= 1e-18 * abs(sum)) break; // past the greatest term: the rest adds nothing
            power *= z * z / (double(m + 1) * double(m + 2));
        }
        return sum;
    }
    const W sine = sin(z), cosine = cos(z);
    W f = sine / z;
    for (int k = 1; k <= n; ++k) {
        const W side = k % 4 == 0 ? sine : k % 4 == 1 ? cosine : k % 4 == 2 ? -sine : -cosine;
        f = (side - double(k) * f) / z;
    }
    return f;
}
/// n-th derivative of sin(s x) / (s x), on behalf of `name`.
struct scaled_sine_over_op : unary<Result::Same, floating | complex, Saves::Input> {
    const char* name;
    double scale, factor; ///< of the derivative: the scale to its order
    int order;
    scaled_sine_over_op(const char* op, double s, int n) : name(op), scale(s), factor(std::pow(s, n)), order(n) {}
    template <class T> REEL_HD T f(T x) const {
        using W = typename math::widened<T>::type;
        return T(factor * sine_over(order, scale * W(x)));
    }
    template <class T> T df(T g, T x, T) const {
        return g * conj(apply(name, scaled_sine_over_op(name, scale, order + 1), x));
    }
};

namespace detail {
/// The slope of sin(pi x) / (pi x) at a single number, real or complex; vectors have theirs.
template <class T>
requires(std::is_floating_point_v<T> || math::is_complex<T>::value) REEL_HD T sinc_slope(T x) {
    using W = typename math::widened<T>::type;
    return T(sinc_pi * sine_over(1, sinc_pi * W(x)));
}
} // namespace detail
/// The slope of sinc.
struct sinc_slope_op : unary<Result::Same, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        using detail::sinc_slope;
        return sinc_slope(x);
    }
    template <class T> T df(T g, T x, T) const {
        return g * conj(apply("sinc", scaled_sine_over_op("sinc", sinc_pi, 2), x));
    }
};

/// sin(pi x) / (pi x), one at zero; derivatives of every order, at zero, too.
REEL_OP("sinc(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.sinc"))
struct sinc_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        const T z = constant<T>(sinc_pi) * x;
        return where(x == constant<T>(0), constant<T>(1), sin(z) / z);
    }
    template <class T> T df(T g, T x, T) const { return g * conj(apply("sinc", sinc_slope_op{}, x)); }
};
/// sin(x) / x, one at zero; derivatives of every order, at zero, too.
REEL_OP("special.spherical_bessel_j0(Tensor x) -> Tensor", rule, out)
struct spherical_bessel_j0_op : unary<Result::ToFloat, floating, Saves::Input> {
    template <class T> REEL_HD T f(T x) const { return T(std::isinf(x) ? 0 : sine_over(0, double(x))); }
    template <class T> T df(T g, T x, T) const {
        return g * apply("special.spherical_bessel_j0", scaled_sine_over_op("special.spherical_bessel_j0", 1, 1), x);
    }
};

} // namespace reel::pointwise
