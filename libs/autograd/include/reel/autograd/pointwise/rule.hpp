// What a pointwise op is: a scalar rule, its derivative, and what the tape must keep for it.
// The same text is instantiated for vectors, for single numbers, for CUDA and, with T = Tensor, for higher derivatives.
#pragma once

#include <reel/autograd/op_block.hpp>
#include <reel/autograd/pointwise/scalar_math.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::pointwise {

/// The dtype that a rule computes in: the operands' promoted one, or for whole numbers and bools the default floating
/// one. The result's dtype is what `f` returns there.
enum class Result { Same, ToFloat };
/// Which dtypes a rule is instantiated for. 16-bit floats compute in float32.
enum Types : unsigned { floating = 1, complex = 2, integral = 4, boolean = 8 };
/// Common sets of them.
inline constexpr unsigned all_numbers = floating | complex | integral, reals = floating | integral;
/// What can be compared by order (complex numbers cannot), and every dtype.
inline constexpr unsigned ordered = reals | boolean, anything = ordered | complex;
/// What the derivative of a unary rule reads.
enum class Saves : unsigned { Nothing = 0, Input = 1, Output = 2, Both = 3 };
/// What a derivative of a rule of several operands reads: operands, and the result `y`.
enum Reads : unsigned { none = 0, a = 1, b = 2, y = 4, c = 8 };

/// Base of rules of one operand: `f(x)` and, unless no gradient flows, `df(g, x, y)`: the gradient for the incoming one
/// (conjugated for complex numbers). Only what `saves` names is a real value in `df`; the other parameter must not be
/// touched.
///
/// Optional members: `static constexpr bool fused = true` says that `df` is written for vectors, too, and runs in one
/// loop; `void check(const char* op, const Tensor& x) const` refuses operands before anything is done.
template <Result R, unsigned T, Saves S = Saves::Nothing> struct unary {
    static constexpr int operands = 1;
    static constexpr Result result = R;
    static constexpr unsigned types = T;
    static constexpr Saves saves = S;
    static constexpr bool fused = false;
};
/// Base of rules of two operands: `f(a, b)`, and `da(g, a, b, y)`, `db(g, a, b, y)`; `A`, `B` name what each reads.
/// `fused` says of `da` and `db`, which read no result then, what it says of `df`. A plain number in the place of an
/// operand has a place among the node's edges if `number_is_operand` says so (T-20, T-34).
template <Result R, unsigned T, unsigned A = none, unsigned B = none> struct binary {
    static constexpr int operands = 2;
    static constexpr Result result = R;
    static constexpr unsigned types = T;
    static constexpr unsigned reads_da = A, reads_db = B;
    static constexpr bool number_is_operand = true;
};
/// Base of rules of three operands: `f(a, b, c)`, and `da(g, a, b, c, y)`, `db`, `dc` of the same operands.
template <Result R, unsigned T, unsigned A = none, unsigned B = none, unsigned C = none> struct ternary {
    static constexpr int operands = 3;
    static constexpr Result result = R;
    static constexpr unsigned types = T;
    static constexpr unsigned reads_da = A, reads_db = B, reads_dc = C;
};

/// Further base of a rule whose `f` (and `df`, if it is fused) is written for vectors as well: it chooses by `where`,
/// not by `?:`, and calls only what vectors have (`reel/autograd/detail/cpu/vec_arithmetic.hpp`, the functions of
/// `scalar_math.hpp`). What `f` returns is the vector or, of a comparison, its lanes' truth. The build compiles its
/// floating loops once per instruction set.
struct vector_form {};
/// Further base of a rule that calls what only the host has: no device gets a kernel from it.
struct host_only {};
template <class Op> inline constexpr bool has_vector_form = std::is_base_of_v<vector_form, Op>;
template <class Op> inline constexpr bool runs_on_devices = !std::is_base_of_v<host_only, Op>;

/// Base of rules of one operand that a function of double computes, on the host; they add `df`.
template <double (*F)(double), Saves S = Saves::Nothing>
struct in_double : unary<Result::ToFloat, floating, S>, host_only {
    template <class T> T f(T x) const { return T(F(double(x))); }
};

/// A number in the arithmetic of T: stays a plain one for tensors, so that it promotes as one.
template <class T> REEL_HD auto constant(double c) {
    if constexpr (std::is_same_v<T, Tensor>) return c;
    else if constexpr (requires { typename T::Scalar; }) return T(typename T::Scalar(c));
    else if constexpr (math::is_complex<T>::value) return T(typename T::value_type(c));
    else return T(c);
}
/// The same in the formulas of programs that were written with it.
template <class T> REEL_HD auto k(double c) { return constant<T>(c); }

template <class... Op> struct op_list {};

using namespace reel::math;

} // namespace reel::pointwise
