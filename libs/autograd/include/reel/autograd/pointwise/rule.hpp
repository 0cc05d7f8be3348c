// What a pointwise op is: a scalar rule, its derivative, and what the tape must keep for it.
// The same text is instantiated for vectors, for single numbers, for CUDA and, with T = Tensor, for higher derivatives.
#pragma once

#include <reel/autograd/pointwise/scalar_math.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::pointwise {

/// How the result's dtype follows from the operands'.
enum class Result { Same, ToFloat };
/// Which dtypes a rule is instantiated for. 16-bit floats compute in float32.
enum Types : unsigned { floating = 1, complex = 2, integral = 4, boolean = 8 };
/// What `df` reads.
enum class Saves { Nothing, Input, Output };

/// Base of unary rules: `f(x)` and `df(g, x, y)`, the gradient for the incoming one (conjugated for complex numbers).
/// Only what `saves` names is a real value in `df`; the other parameter must not be touched.
template <Result R, unsigned T, Saves S> struct unary {
    static constexpr Result result = R;
    static constexpr unsigned types = T;
    static constexpr Saves saves = S;
    static constexpr bool fused = false;
};
/// Base of binary rules: `f(a, b)`, `da(g, a, b, y)`, `db(g, a, b, y)`; `A`, `B` name what each derivative reads.
enum Reads : unsigned { none = 0, a = 1, b = 2, y = 4 };
template <Result R, unsigned T, unsigned A, unsigned B> struct binary {
    static constexpr Result result = R;
    static constexpr unsigned types = T;
    static constexpr unsigned reads_da = A, reads_db = B;
};

/// A constant in the arithmetic of T: stays a plain number for tensors, so that it promotes as one.
template <class T> REEL_HD auto k(double c) {
    if constexpr (std::is_same_v<T, Tensor>) return c;
    else if constexpr (requires { typename T::Scalar; }) return T(typename T::Scalar(c));
    else if constexpr (math::is_complex<T>::value) return T(typename T::value_type(c));
    else return T(c);
}

template <class... Op> struct op_list {};

using namespace reel::math;

} // namespace reel::pointwise
