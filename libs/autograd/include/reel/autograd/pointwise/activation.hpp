// Activations: smooth ones and the rectifiers.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// d/dx = y (1 - y)
REEL_OP("sigmoid(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.expit"),
        alias("nn.functional.sigmoid"))
struct sigmoid_op : unary<Result::ToFloat, floating | complex, Saves::Output>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return sigmoid(x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return g * conj((constant<T>(1) - o) * o); }
};
/// max(x, 0); NaN stays NaN.
REEL_OP("relu(Tensor input) -> Tensor", rule, method, inplace,
        alias("nn.functional.relu(Tensor input, bool inplace=False)"), samples(call(numbers({3, 4}))))
struct relu_op : unary<Result::Same, floating | integral, Saves::Output>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(x <= constant<T>(0), constant<T>(0), x); }
    template <class T> REEL_HD T df(T g, T, T o) const { return where(o > constant<T>(0), g, constant<T>(0)); }
};
/// Phi, the distribution function of the standard normal distribution; kernels may have a faster one.
template <class T> REEL_HD T normal_cdf(T x) {
    return (erf(x * constant<T>(0.70710678118654752440)) + constant<T>(1)) * constant<T>(0.5);
}
/// x Phi(x).  d/dx = Phi(x) + x phi(x)
struct gelu_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return x * normal_cdf(x); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return g * (normal_cdf(x) + x * exp(-(x * x) * constant<T>(0.5)) * constant<T>(0.39894228040143267794));
    }
};
/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
struct gelu_tanh_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return x * constant<T>(0.5) *
               (tanh((x + x * x * x * constant<T>(0.044715)) * constant<T>(0.79788456080286535588)) + constant<T>(1));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const T t = tanh((x + x * x * x * constant<T>(0.044715)) * constant<T>(0.79788456080286535588));
        return g * ((t + constant<T>(1)) * constant<T>(0.5) +
                    x * constant<T>(0.5) * (constant<T>(1) - t * t) *
                        ((x * x * constant<T>(0.134145) + constant<T>(1)) * constant<T>(0.79788456080286535588)));
    }
};
/// x sigmoid(x)
REEL_OP("nn.functional.silu(Tensor input, bool inplace=False) -> Tensor", rule, inplace, alias("silu"))
struct silu_op : unary<Result::ToFloat, floating | complex, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return x * sigmoid(x); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const T s = sigmoid(x);
        return g * conj(s * (x * (constant<T>(1) - s) + constant<T>(1)));
    }
    void check(const char* op, const Tensor& x) const {
        REEL_CHECK_NOT_IMPLEMENTED(isDifferentiableType(x.scalar_type()), op, ": input: there is no kernel for ",
                                   dtype_name(x.scalar_type()));
    }
};
/// x sigmoid(gate), without derivatives: the two halves of glu, and the gradient of the first.
struct gated_op : binary<Result::Same, floating>, vector_form {
    template <class T> REEL_HD T f(T x, T gate) const { return x * sigmoid(gate); }
};
/// g x s (1 - s) for s = sigmoid(gate): the gradient of the second.
struct gate_gradient_op : ternary<Result::Same, floating>, vector_form {
    template <class T> REEL_HD T f(T g, T x, T gate) const {
        const T s = sigmoid(gate);
        return g * x * (s * (constant<T>(1) - s));
    }
};
/// x above zero, negative_slope x elsewhere.
REEL_OP("nn.functional.leaky_relu(Tensor input, float negative_slope=0.01, bool inplace=False) -> Tensor", rule,
        inplace, alias("leaky_relu"))
struct leaky_relu_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    double negative_slope;
    explicit leaky_relu_op(double s = 0.01) : negative_slope(s) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(x > constant<T>(0), x, x * constant<T>(negative_slope)); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(x > constant<T>(0), g, g * constant<T>(negative_slope));
    }
};

} // namespace reel::pointwise
