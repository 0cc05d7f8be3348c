// Rounding to integers: constant between steps, so no gradient flows. Integers are whole already. And to levels.
#pragma once

#include <reel/autograd/error.hpp>
#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

REEL_OP("floor(Tensor input) -> Tensor", rule, method, out_exact, inplace, samples(call(numbers({4, 3}))))
struct floor_op : unary<Result::Same, reals>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        if constexpr (std::is_integral_v<T>) return x;
        else return floor(x);
    }
    template <class T> T df(T g, T, T) const { return zeros_like(g); }
};
REEL_OP("ceil(Tensor input) -> Tensor", rule, method, out_exact, inplace)
struct ceil_op : unary<Result::Same, reals>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        if constexpr (std::is_integral_v<T>) return x;
        else return ceil(x);
    }
    template <class T> T df(T g, T, T) const { return zeros_like(g); }
};
REEL_OP("trunc(Tensor input) -> Tensor", rule, method, out_exact, inplace, alias("fix"))
struct trunc_op : unary<Result::Same, reals>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        if constexpr (std::is_integral_v<T>) return x;
        else return trunc(x);
    }
    template <class T> T df(T g, T, T) const { return zeros_like(g); }
};
/// Halves go to the even neighbour.
struct round_op : unary<Result::Same, reals>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        if constexpr (std::is_integral_v<T>) return x;
        else return round(x);
    }
    template <class T> T df(T g, T, T) const { return zeros_like(g); }
};
/// What is left after trunc.
REEL_OP("frac(Tensor input) -> Tensor", rule, method, out_exact, inplace)
struct frac_op : unary<Result::Same, floating>, vector_form {
    template <class T> REEL_HD T f(T x) const { return x - trunc(x); }
    template <class T> T df(T g, T, T) const { return g; }
};
/// scale (min(max(round(x / scale) + zero_point, quant_min), quant_max) - zero_point): what is left of x once it has
/// been an integer of that range. The gradient passes straight through where neither bound has cut. NaN stays NaN.
REEL_OP("fake_quantize_per_tensor_affine(Tensor input, float scale, int zero_point, int quant_min, int quant_max)"
        " -> Tensor",
        rule, samples(call(numbers({4, 3}), 0.25, 3, -4, 7)))
struct fake_quantize_per_tensor_affine_op : unary<Result::Same, floating, Saves::Input>, vector_form {
    double scale, low, high; ///< the bounds without zero_point
    fake_quantize_per_tensor_affine_op(double s, std::int64_t zero_point, std::int64_t quant_min,
                                       std::int64_t quant_max)
        : scale(s), low(double(quant_min) - double(zero_point)), high(double(quant_max) - double(zero_point)) {
        const char* const op = "fake_quantize_per_tensor_affine";
        REEL_CHECK(scale != 0 && scale - scale == 0, op, ": scale is ", scale, "; expected a finite number but zero");
        REEL_CHECK(quant_min <= quant_max, op, ": quant_min is ", quant_min, ", larger than quant_max ", quant_max);
        REEL_CHECK(quant_min <= zero_point && zero_point <= quant_max, op, ": zero_point is ", zero_point,
                   "; expected a number from quant_min ", quant_min, " to quant_max ", quant_max);
    }
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const {
        const T q = level(x);
        return constant<T>(scale) *
               where(q < constant<T>(low), constant<T>(low), where(q > constant<T>(high), constant<T>(high), q));
    }
    template <class T> REEL_HD T df(T g, T x, T) const {
        const T q = level(x);
        return where(q >= constant<T>(low), where(q <= constant<T>(high), g, constant<T>(0)), constant<T>(0));
    }

private:
    /// PyTorch's product, in float32 to the bit.
    template <class T> REEL_HD T level(const T& x) const { return round(x * (constant<T>(1) / constant<T>(scale))); }
};

} // namespace reel::pointwise
