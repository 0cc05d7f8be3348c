// Rounding to integers: constant between steps, so no gradient flows. Integers are whole already.
#pragma once

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

} // namespace reel::pointwise
