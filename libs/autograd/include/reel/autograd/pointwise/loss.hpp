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
struct binary_cross_entropy_op : binary<Result::Same, floating, a | b, a>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x, T t) const {
        return (t - constant<T>(1)) * at_least(log1p(-x)) - t * at_least(log(x));
    }
    template <class T> REEL_HD T da(T g, T x, T t, T) const {
        const T width = (constant<T>(1) - x) * x, least = where(width < constant<T>(1e-12), constant<T>(1e-12), width);
        return g * (x - t) / least;
    }
    template <class T> REEL_HD T db(T g, T x, T, T) const {
        return g * (bounded_log(T(constant<T>(1) - x)) - bounded_log(x));
    }

private:
    template <class T> REEL_HD static T at_least(T logarithm) {
        return where(logarithm < constant<T>(-100), constant<T>(-100), logarithm);
    }
    /// log(x), at least -100, with finite derivatives where x is 0.
    template <class T> REEL_HD static T bounded_log(T x) {
        constexpr double least = 3.720075976020836e-44; // e^-100
        const T inside = where(x <= constant<T>(least), constant<T>(1), x);
        return where(x <= constant<T>(least), constant<T>(-100), log(inside));
    }
};
/// The same of sigmoid(x), whose logarithms are taken without it: (1 - t) x - logsigmoid(x).
struct binary_cross_entropy_with_logits_op : binary<Result::Same, floating, a | b, a>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x, T t) const {
        return (constant<T>(1) - t) * x - (where(x > constant<T>(0), constant<T>(0), x) - log1p(exp(-abs(x))));
    }
    template <class T> REEL_HD T da(T g, T x, T t, T) const { return g * (sigmoid(x) - t); }
    template <class T> REEL_HD T db(T g, T x, T, T) const { return -(g * x); }
};

} // namespace reel::pointwise
