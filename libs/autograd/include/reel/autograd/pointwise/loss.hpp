// What losses make of an element and its target.
#pragma once

#include <cmath>

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// d^2 / (2 beta) for d = |x - t| below beta, d - beta / 2 from there on.
struct smooth_l1_op : binary<Result::Same, floating, a | b, a | b> {
    double beta;
    explicit smooth_l1_op(double below) : beta(below) {}
    template <class T> REEL_HD T f(T x, T t) const {
        const T d = std::abs(x - t);
        return d < T(beta) ? T(0.5) * d * d / T(beta) : d - T(0.5) * T(beta);
    }
    template <class T> T da(T g, T x, T t, T) const { return slope(g, x - t); }
    template <class T> T db(T g, T x, T t, T) const { return -slope(g, x - t); }

private:
    template <class T> T slope(const T& g, const T& d) const { return g * where(abs(d) < beta, d / beta, sgn(d)); }
};
/// d^2 / 2 for d = |x - t| up to delta, delta (d - delta / 2) beyond.
struct huber_op : binary<Result::Same, floating, a | b, a | b> {
    double delta;
    explicit huber_op(double upto) : delta(upto) {}
    template <class T> REEL_HD T f(T x, T t) const {
        const T d = std::abs(x - t);
        return d <= T(delta) ? T(0.5) * d * d : T(delta) * (d - T(0.5) * T(delta));
    }
    template <class T> T da(T g, T x, T t, T) const { return slope(g, x - t); }
    template <class T> T db(T g, T x, T t, T) const { return -slope(g, x - t); }

private:
    template <class T> T slope(const T& g, const T& d) const { return g * where(abs(d) < delta, d, sgn(d) * delta); }
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
