// Activations put together from pieces.
#pragma once

#include <cmath>
#include <limits>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// A bound in the arithmetic of T; one that lies beyond all integers of T bounds none of them.
template <class T> REEL_HD auto bound(double c) {
    if constexpr (std::is_integral_v<T>) {
        constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
        return c <= double(least) ? least : c >= double(most) ? most : T(c);
    } else return constant<T>(c);
}
/// Is some number of dtype `t` at least, or at most, `v`? Of floating ones there always is.
inline bool reaches_up_to(ScalarType t, double v) {
    const double half = std::ldexp(1.0, 8 * int(elementSize(t)) - 1);
    return !isIntegralType(t) || v < (t == kByte ? 2 * half : half);
}
inline bool reaches_down_to(ScalarType t, double v) {
    return !isIntegralType(t) || v > (t == kByte ? 0 : -std::ldexp(1.0, 8 * int(elementSize(t)) - 1)) - 1;
}

/// x between the bounds; no gradient at or beyond them.
REEL_OP("nn.functional.hardtanh(Tensor input, float min_val=-1.0, float max_val=1.0, bool inplace=False) -> Tensor",
        rule, method, inplace)
struct hardtanh_op : unary<Result::Same, floating | integral, Saves::Input>, vector_form {
    double low, high;
    explicit hardtanh_op(double l = -1, double h = 1) : low(l), high(h) {
        REEL_CHECK_VALUE(low <= high, "hardtanh: min_val is ", low, ", larger than max_val ", high);
    }
    void check(const char* op, const Tensor& x) const {
        REEL_CHECK(x.scalar_type() != kBool, op, ": input is bool; expected numbers");
        REEL_CHECK(x.scalar_type() != kByte || low >= 0, op, ": min_val is ", low,
                   "; an unsigned input has no negative elements");
        REEL_CHECK_VALUE(reaches_up_to(x.scalar_type(), low), op, ": min_val is ", low,
                         ", above every number of dtype ", dtype_name(x.scalar_type()), ", which input has");
        REEL_CHECK_VALUE(reaches_down_to(x.scalar_type(), high), op, ": max_val is ", high,
                         ", below every number of dtype ", dtype_name(x.scalar_type()), ", which input has");
    }
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x < bound<T>(low), bound<T>(low), where(x > bound<T>(high), bound<T>(high), x));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(x <= constant<T>(low), constant<T>(0), where(x >= constant<T>(high), constant<T>(0), g));
    }
};
/// scale x above zero, scale alpha (e^(x / width) - 1) below: elu, celu, selu.
struct elu_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    double alpha, scale, width;
    explicit elu_op(double a = 1, double s = 1, double w = 1) : alpha(a), scale(s), width(w) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x <= constant<T>(0), expm1(x / constant<T>(width)) * constant<T>(alpha * scale),
                     x * constant<T>(scale));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        // exp only sees what it is used for: its overflow would spoil second derivatives, which are zero at zero.
        return where(x <= constant<T>(0),
                     g * (exp(where(x < constant<T>(0), x, constant<T>(0)) / constant<T>(width)) *
                          constant<T>(alpha * scale / width)),
                     g * constant<T>(scale));
    }
};
/// log(1 + e^(beta x)) / beta, and x itself from beta x > threshold on.
REEL_OP("nn.functional.softplus(Tensor input, float beta=1.0, float threshold=20.0) -> Tensor", rule, out_exact,
        inplace, samples(call(spread(-2, 2), 2.0, 1.5)))
struct softplus_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    double beta, threshold;
    explicit softplus_op(double b = 1, double t = 20) : beta(b), threshold(t) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x * constant<T>(beta) > constant<T>(threshold), x,
                     log1p(exp(x * constant<T>(beta))) / constant<T>(beta));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        // At the threshold the sigmoid is a constant: the second derivative is zero there.
        const T z = x * constant<T>(beta);
        return where(z > constant<T>(threshold), g,
                     g * sigmoid(where(z >= constant<T>(threshold), constant<T>(threshold), z)));
    }
};
/// log(sigmoid(x))
REEL_OP("nn.functional.logsigmoid(Tensor input) -> Tensor", rule, out_exact, alias("log_sigmoid"))
struct logsigmoid_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x > constant<T>(0), constant<T>(0), x) - log1p(exp(-abs(x)));
    }
    template <class T> REEL_HD T df(T g, T x, T) const { return g * sigmoid(-x); }
};
/// x tanh(softplus(x))
REEL_OP("nn.functional.mish(Tensor input, bool inplace=False) -> Tensor", rule, inplace, alias("mish"))
struct mish_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return x * tanh(log1p(exp(x))); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const T t = tanh(where(x > constant<T>(20), x, log1p(exp(where(x > constant<T>(20), constant<T>(0), x)))));
        return g * (t + x * sigmoid(x) * (constant<T>(1) - t * t));
    }
};
/// min(max(x + 3, 0), 6) / 6
REEL_OP("nn.functional.hardsigmoid(Tensor input, bool inplace=False) -> Tensor", rule, inplace)
struct hardsigmoid_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x < constant<T>(-3), constant<T>(0),
                     where(x > constant<T>(3), constant<T>(1), (x + constant<T>(3)) / constant<T>(6)));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(x <= constant<T>(-3), constant<T>(0),
                     where(x >= constant<T>(3), constant<T>(0), g / constant<T>(6)));
    }
};
/// x hardsigmoid(x)
REEL_OP("nn.functional.hardswish(Tensor input, bool inplace=False) -> Tensor", rule, inplace)
struct hardswish_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return x *
               where(x < constant<T>(-3), constant<T>(0),
                     where(x > constant<T>(3), constant<T>(6), x + constant<T>(3))) /
               constant<T>(6);
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const T inside = where(abs(x) >= constant<T>(3), constant<T>(0), x); // infinity times nothing is NaN
        return where(x <= constant<T>(-3), constant<T>(0),
                     where(x >= constant<T>(3), g, g * (inside / constant<T>(3) + constant<T>(0.5))));
    }
};
/// The shrinking rules are the identity without a gap, at zero, too.
REEL_HD inline double gap(double lambd) { return lambd > 0 ? lambd : -1; }
/// Zero within lambd of zero.
REEL_OP("nn.functional.hardshrink(Tensor input, float lambd=0.5) -> Tensor", rule, method, out_exact,
        alias("hardshrink"))
struct hardshrink_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    double lambd;
    explicit hardshrink_op(double l = 0.5) : lambd(l) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(abs(x) <= constant<T>(lambd), constant<T>(0), x); }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(abs(x) <= constant<T>(gap(lambd)), constant<T>(0), g);
    }
};
/// Towards zero by lambd.
REEL_OP("nn.functional.softshrink(Tensor input, float lambd=0.5) -> Tensor", rule, out_exact)
struct softshrink_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    double lambd;
    explicit softshrink_op(double l = 0.5) : lambd(l) {
        REEL_CHECK(lambd >= 0, "softshrink: lambd is ", lambd, "; expected a number that is not negative");
    }
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        return where(x > constant<T>(lambd), x - constant<T>(lambd),
                     where(x < constant<T>(-lambd), x + constant<T>(lambd), x * constant<T>(0)));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        return where(abs(x) <= constant<T>(gap(lambd)), constant<T>(0), g);
    }
};
/// x above the threshold, `value` elsewhere.
struct threshold_op : unary<Result::Same, floating | integral, Saves::Input>, vector_form {
    double threshold, value;
    threshold_op(double t = 0, double v = 0) : threshold(t), value(v) {}
    void check(const char* op, const Tensor& x) const {
        const ScalarType t = x.scalar_type();
        const auto holds = [&](double v) { return reaches_up_to(t, v) && reaches_down_to(t, v); };
        REEL_CHECK_VALUE(holds(threshold), op, ": threshold is ", threshold, ", no number of dtype ", dtype_name(t),
                         ", which input has");
        REEL_CHECK_VALUE(holds(value), op, ": value is ", value, ", no number of dtype ", dtype_name(t),
                         ", which input has");
    }
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return where(x <= bound<T>(threshold), bound<T>(value), x); }
    template <class T> REEL_HD T df(T g, T x, T) const { return where(x <= constant<T>(threshold), constant<T>(0), g); }
};
/// The slope of prelu at x times g, in one loop.
struct prelu_input_gradient_op : ternary<Result::Same, floating>, vector_form {
    template <class T> REEL_HD T f(T g, T x, T weight) const { return where(x > constant<T>(0), g, weight * g); }
};
struct prelu_weight_gradient_op : binary<Result::Same, floating>, vector_form {
    template <class T> REEL_HD T f(T g, T x) const { return where(x >= constant<T>(0), constant<T>(0), x * g); }
};
/// x above zero, weight x elsewhere.
struct prelu_op : binary<Result::Same, floating, a | b, a>, vector_form {
    template <class T> REEL_HD T f(T x, T weight) const { return where(x > constant<T>(0), x, weight * x); }
    template <class T> T da(T g, T x, T weight, T) const {
        if (!GradMode::is_enabled()) return evaluate("prelu", prelu_input_gradient_op{}, g, x, weight);
        // At zero either slope is a constant: mixed second derivatives are zero there.
        const T slope = weight.requires_grad() ? where(x < 0, weight, weight.detach()) : weight;
        return where(x > 0, g, slope * g);
    }
    template <class T> T db(T g, T x, T, T) const {
        if (!GradMode::is_enabled()) return evaluate("prelu", prelu_weight_gradient_op{}, g, x);
        return where(x >= 0, 0, x * g);
    }
};

} // namespace reel::pointwise
