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
/// x Phi(x).  d/dx = Phi(x) + x phi(x)
struct gelu_op : unary<Result::ToFloat, floating, Saves::Input> {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return x * k<T>(0.5) * (erf(x * k<T>(0.70710678118654752440)) + k<T>(1)); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return g * ((erf(x * k<T>(0.70710678118654752440)) + k<T>(1)) * k<T>(0.5) + x * exp(-(x * x) * k<T>(0.5)) * k<T>(0.39894228040143267794));
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
        return g * ((t + k<T>(1)) * k<T>(0.5) +
                    x * k<T>(0.5) * (k<T>(1) - t * t) * ((x * x * k<T>(0.134145) + k<T>(1)) * k<T>(0.79788456080286535588)));
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

using activation_unary = op_list<sigmoid_op, relu_op, gelu_op, gelu_tanh_op, silu_op, leaky_relu_op>;

} // namespace reel::pointwise
