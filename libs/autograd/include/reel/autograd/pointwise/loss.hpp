// What losses make of an element and its target.
#pragma once

#include <cmath>

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// g times the slope of a loss that is a parabola up to a bound and straight from there on: d / width within the bound,
/// `most` with the sign of d beyond.
struct bounded_slope_op : binary<Result::Same, floating, b, a | b>, vector_form {
    double bound, width, most;
    bounded_slope_op(double upto, double w, double m) : bound(upto), width(w), most(m) {}
    template <class T> REEL_HD T f(T g, T d) const {
        return g * where(abs(d) > constant<T>(bound), copysign(constant<T>(most), d), d / constant<T>(width));
    }
    template <class T> T da(T g, T, T d, T) const { return apply("bounded_slope", *this, g, d); }
    template <class T> T db(T g, T x, T d, T) const { return where(abs(d) < bound, g * x / width, 0); }
};
/// (x - t)^2
struct squared_difference_op : binary<Result::Same, floating, a | b, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T t) const {
        const T d = x - t;
        return d * d;
    }
    template <class T> T da(T g, T x, T t, T) const { return g * ((x - t) * 2); }
    template <class T> T db(T g, T x, T t, T) const { return g * ((t - x) * 2); }
};
/// d^2 / (2 beta) for d = |x - t| below beta, d - beta / 2 from there on.
struct smooth_l1_op : binary<Result::Same, floating, a | b, a | b>, vector_form {
    double beta;
    explicit smooth_l1_op(double below) : beta(below) {}
    template <class T> REEL_HD T f(T x, T t) const {
        const T d = abs(x - t);
        return where(d < constant<T>(beta), constant<T>(0.5) * d * d / constant<T>(beta), d - constant<T>(0.5 * beta));
    }
    template <class T> T da(T g, T x, T t, T) const { return apply("smooth_l1_loss_backward", slope(), g, x - t); }
    template <class T> T db(T g, T x, T t, T) const { return apply("smooth_l1_loss_backward", slope(), g, t - x); }

private:
    /// Without a parabola its width is not used, but at zero, which it leaves zero.
    bounded_slope_op slope() const { return {beta, beta > 0 ? beta : 1, 1}; }
};
/// d^2 / 2 for d = |x - t| up to delta, delta (d - delta / 2) beyond.
struct huber_op : binary<Result::Same, floating, a | b, a | b>, vector_form {
    double delta;
    explicit huber_op(double upto) : delta(upto) {}
    template <class T> REEL_HD T f(T x, T t) const {
        const T d = abs(x - t);
        return where(d <= constant<T>(delta), constant<T>(0.5) * d * d,
                     constant<T>(delta) * (d - constant<T>(0.5 * delta)));
    }
    template <class T> T da(T g, T x, T t, T) const { return apply("huber_loss_backward", slope(), g, x - t); }
    template <class T> T db(T g, T x, T t, T) const { return apply("huber_loss_backward", slope(), g, t - x); }

private:
    bounded_slope_op slope() const { return {delta, 1, delta}; }
};
/// -(t log(x) + (1 - t) log(1 - x)) for probabilities x; logarithms stop at -100.
struct binary_cross_entropy_op : binary<Result::Same, floating, a | b, a> {
    template <class T> REEL_HD T f(T x, T t) const {
        const T left = std::log1p(-x), right = std::log(x);
        return (t - T(1)) * (left < T(-100) ? T(-100) : left) - t * (right < T(-100) ? T(-100) : right);
    }
    template <class T> T da(T g, T x, T t, T) const { return g * (x - t) / clamp_min((1 - x) * x, 1e-12); }
    template <class T> T db(T g, T x, T, T) const { return g * (bounded_log(1 - x) - bounded_log(x)); }

private:
    /// log(x), at least -100, with finite derivatives where x is 0.
    template <class T> static T bounded_log(const T& x) {
        const double least = std::exp(-100.0);
        return masked_fill(log(clamp_min(x, least)), x <= Scalar(least), -100);
    }
};

} // namespace reel::pointwise
