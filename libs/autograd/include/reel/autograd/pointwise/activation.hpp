// Activations.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// d/dx = y (1 - y)
struct sigmoid_op : unary<Result::ToFloat, floating | complex, Saves::Output> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return sigmoid(x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return g * conj((k<T>(1) - o) * o); }
};
/// max(x, 0); NaN stays NaN.
struct relu_op : unary<Result::Same, floating | integral, Saves::Output> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(x <= k<T>(0), k<T>(0), x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return where(o > k<T>(0), g, k<T>(0)); }
};
/// Phi, the distribution function of the standard normal distribution; kernels may have a faster one.
template <class T> REEL_HD T normal_cdf(T x) { return (erf(x * k<T>(0.70710678118654752440)) + k<T>(1)) * k<T>(0.5); }
/// x Phi(x).  d/dx = Phi(x) + x phi(x)
struct gelu_op : unary<Result::ToFloat, floating, Saves::Input> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return x * normal_cdf(x); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return g * (normal_cdf(x) + x * exp(-(x * x) * k<T>(0.5)) * k<T>(0.39894228040143267794));
    }
};
/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
struct gelu_tanh_op : unary<Result::ToFloat, floating, Saves::Input> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return x * k<T>(0.5) * (tanh((x + x * x * x * k<T>(0.044715)) * k<T>(0.79788456080286535588)) + k<T>(1));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const T t = tanh((x + x * x * x * k<T>(0.044715)) * k<T>(0.79788456080286535588));
        return g *
               ((t + k<T>(1)) * k<T>(0.5) + x * k<T>(0.5) * (k<T>(1) - t * t) *
                                                ((x * x * k<T>(0.134145) + k<T>(1)) * k<T>(0.79788456080286535588)));
    }
};
/// x sigmoid(x)
struct silu_op : unary<Result::ToFloat, floating | complex, Saves::Input> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return x * sigmoid(x); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const T s = sigmoid(x);
        return g * conj(s * (x * (k<T>(1) - s) + k<T>(1)));
    }
};
struct leaky_relu_op : unary<Result::Same, floating, Saves::Input> {
    double negative_slope;
    explicit leaky_relu_op(double s = 0.01) : negative_slope(s) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(x > k<T>(0), x, x * k<T>(negative_slope)); }
    template <class T> REEL_HD T df(T g, T x, T) const { return where(x > k<T>(0), g, g * k<T>(negative_slope)); }
};

/// x between the bounds; no gradient at or beyond them.
struct hardtanh_op : unary<Result::Same, floating | integral, Saves::Input> {
    double low, high;
    explicit hardtanh_op(double l = -1, double h = 1) : low(l), high(h) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x < k<T>(low), k<T>(low), where(x > k<T>(high), k<T>(high), x));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(x <= k<T>(low), k<T>(0), where(x >= k<T>(high), k<T>(0), g));
    }
};
/// scale x above zero, scale alpha (e^(x / width) - 1) below: elu, celu, selu.
struct elu_op : unary<Result::Same, floating, Saves::Input> {
    double alpha, scale, width;
    explicit elu_op(double a = 1, double s = 1, double w = 1) : alpha(a), scale(s), width(w) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x <= k<T>(0), expm1(x / k<T>(width)) * k<T>(alpha * scale), x * k<T>(scale));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        // exp only sees what it is used for: its overflow would spoil second derivatives, which are zero at zero.
        return where(x <= k<T>(0),
                     g * (exp(where(x < k<T>(0), x, k<T>(0)) / k<T>(width)) * k<T>(alpha * scale / width)),
                     g * k<T>(scale));
    }
};
/// log(1 + e^(beta x)) / beta, and x itself from beta x > threshold on.
struct softplus_op : unary<Result::Same, floating, Saves::Input> {
    double beta, threshold;
    explicit softplus_op(double b = 1, double t = 20) : beta(b), threshold(t) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x * k<T>(beta) > k<T>(threshold), x, log1p(exp(x * k<T>(beta))) / k<T>(beta));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        // At the threshold the sigmoid is a constant: the second derivative is zero there.
        const T z = x * k<T>(beta);
        return where(z > k<T>(threshold), g, g * sigmoid(where(z >= k<T>(threshold), k<T>(threshold), z)));
    }
};
/// log(sigmoid(x))
struct logsigmoid_op : unary<Result::Same, floating, Saves::Input> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(x > k<T>(0), k<T>(0), x) - log1p(exp(-abs(x))); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g * sigmoid(-x); }
};
/// x tanh(softplus(x))
struct mish_op : unary<Result::Same, floating, Saves::Input> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return x * tanh(log1p(exp(x))); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const T t = tanh(where(x > k<T>(20), x, log1p(exp(where(x > k<T>(20), k<T>(0), x)))));
        return g * (t + x * sigmoid(x) * (k<T>(1) - t * t));
    }
};
/// min(max(x + 3, 0), 6) / 6
struct hardsigmoid_op : unary<Result::Same, floating, Saves::Input> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x < k<T>(-3), k<T>(0), where(x > k<T>(3), k<T>(1), (x + k<T>(3)) / k<T>(6)));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(x <= k<T>(-3), k<T>(0), where(x >= k<T>(3), k<T>(0), g / k<T>(6)));
    }
};
/// x hardsigmoid(x)
struct hardswish_op : unary<Result::Same, floating, Saves::Input> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return x * where(x < k<T>(-3), k<T>(0), where(x > k<T>(3), k<T>(6), x + k<T>(3))) / k<T>(6);
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(x <= k<T>(-3), k<T>(0), where(x >= k<T>(3), g, g * (x / k<T>(3) + k<T>(0.5))));
    }
};
/// The shrinking rules are the identity without a gap, at zero, too.
REEL_HD inline double gap(double lambd) { return lambd > 0 ? lambd : -1; }
/// Zero within lambd of zero.
struct hardshrink_op : unary<Result::Same, floating, Saves::Input> {
    double lambd;
    explicit hardshrink_op(double l = 0.5) : lambd(l) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(abs(x) <= k<T>(lambd), k<T>(0), x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return where(abs(x) <= k<T>(gap(lambd)), k<T>(0), g); }
};
/// Towards zero by lambd.
struct softshrink_op : unary<Result::Same, floating, Saves::Input> {
    double lambd;
    explicit softshrink_op(double l = 0.5) : lambd(l) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x > k<T>(lambd), x - k<T>(lambd), where(x < k<T>(-lambd), x + k<T>(lambd), x * k<T>(0)));
    }
    template <class T> REEL_HD T df(T g, T x, T) const { return where(abs(x) <= k<T>(gap(lambd)), k<T>(0), g); }
};
/// x above the threshold, `value` elsewhere.
struct threshold_op : unary<Result::Same, floating | integral, Saves::Input> {
    double threshold, value;
    threshold_op(double t = 0, double v = 0) : threshold(t), value(v) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(x <= k<T>(threshold), k<T>(value), x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return where(x <= k<T>(threshold), k<T>(0), g); }
};

using activation_unary = op_list<sigmoid_op, relu_op, gelu_op, gelu_tanh_op, silu_op, leaky_relu_op>;
using activation_piecewise = op_list<hardtanh_op, elu_op, softplus_op, logsigmoid_op, mish_op, hardsigmoid_op,
                                     hardswish_op, hardshrink_op, softshrink_op, threshold_op>;

} // namespace reel::pointwise
