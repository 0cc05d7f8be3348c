// Sums, differences and products with their factors and in-place forms.
#include <cstdlib>

#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/pointwise/arithmetic.hpp>

#include "op/inplace_form.hpp"
#include "ops/pointwise/run.hpp"
#include "tape/inplace.hpp"
#include "tensor/number_range.hpp"
#include "tensor/plain_numbers.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel {

using namespace pointwise;
using reel::detail::is_one;

namespace {

void check_alpha(const char* op, ScalarType t, const Scalar& alpha) {
    REEL_CHECK(!alpha.isBoolean() || t == kBool, op, ": alpha is a bool; that is for bool operands only, these are ",
               dtype_name(t));
    REEL_CHECK(isDifferentiableType(t) || alpha.isIntegral(true), op, ": alpha is ", alpha,
               "; for integer operands it must be an integer");
    REEL_CHECK(isComplexType(t) || !alpha.isComplex(), op, ": alpha is complex; the operands are ", dtype_name(t));
}
/// Is it the factor that changes nothing? `true` is left to `scaled`, which refuses it beside anything but bool.
bool changes_nothing(const Scalar& alpha) { return !alpha.isBoolean() && is_one(alpha); }
/// alpha other, in the dtype that `input` and `other` have together: small integers have no room for the product.
Tensor scaled(const char* op, const Tensor& input, const Tensor& other, const Scalar& alpha) {
    const ScalarType t = result_type(input, other);
    check_alpha(op, t, alpha);
    const bool number = other.impl()->is_wrapped_number && isIntegralType(other.scalar_type()) == isIntegralType(t);
    const Tensor x = other.scalar_type() == t || number ? other : other.to(t);
    return mul(x, t == kBool ? Scalar(alpha.toBool()) : alpha);
}

/// An op that is linear, on the values of a sparse tensor.
template <class F> Tensor on_values(const char* op, const Tensor& t, F f) {
    return reel::detail::with_values(t, f(reel::detail::recorded_values(op, t)), t.is_coalesced());
}
Tensor& add_into(const char* op, const Tensor& self, const Tensor& sparse, const Scalar& alpha) {
    reel::detail::add_sparse_into(op, self, sparse, alpha);
    return const_cast<Tensor&>(self);
}
Scalar minus(const Scalar& s) {
    return s.isComplex()         ? Scalar(-s.toComplexDouble())
           : s.isFloatingPoint() ? Scalar(-s.toDouble())
                                 : Scalar(-s.toLong());
}

Scalar conjugate(const Scalar& s) { return s.isComplex() ? Scalar(std::conj(s.toComplexDouble())) : s; }
// The gradients of what stands beside a number.
constexpr auto unchanged = [](const Tensor& g, const Scalar&) { return g; };
constexpr auto times_number = [](const Tensor& g, const Scalar& number) { return g * conjugate(number); };
constexpr auto over_number = [](const Tensor& g, const Scalar& number) { return g / conjugate(number); };

template <class Gradient> struct BesideNumber {
    [[no_unique_address]] reel::detail::PackedNumber number;
    [[no_unique_address]] Gradient gradient;
    bool complex;
    GradList operator()(RuleContext& c) const { return {fit_gradient(gradient(c.grad(), number), complex), Tensor()}; }
};
/// The op over `x` and a number in the second place whose gradient for x, `gradient(g, number)`, needs nothing else: no
/// tensor is made for the number, and none is saved.
template <class Op, class Gradient>
Tensor beside_number(const char* name, const Op& op, const Tensor& x, const Scalar& number, Gradient gradient) {
    if (!x.is_cpu() && !x.is_meta()) return apply_number(name, op, x, number); // a device takes numbers as tensors
    const Tensor out =
        pointwise::detail::run(pointwise::detail::launch(name, op, result_type(x, number)), x, number, false);
    if (!autograd::needs_recording_of(name, out, x)) return out;
    static const Tensor absent; // has a place among the edges (T-20, T-34)
    autograd::record(name, {x, absent}, out, {}, BesideNumber<Gradient>{number, gradient, x.is_complex()});
    return out;
}

/// The same over a number that 16 bits do not hold: in float32, and rounded once.
template <class Op, class Gradient>
Tensor beside_any_number(const char* name, const Op& op, const Tensor& x, const Scalar& number, Gradient gradient) {
    const ScalarType t = x.scalar_type();
    if (!reel::detail::loses_number(t, number)) [[likely]]
        return beside_number(name, op, x, number, gradient);
    return beside_number(name, op, x.to(kFloat), number, gradient).to(t);
}

/// Do two dense tensors of one shape lie in the same memory, one some elements behind the other? A loop would read
/// there what it has written.
bool lie_shifted(const Tensor& self, const Tensor& o) {
    const std::int64_t by = std::abs(self.storage_offset() - o.storage_offset());
    return by != 0 && by < self.numel() && self.storage() == o.storage();
}
/// Writes the op straight into `self` when shapes, dtypes and the tape allow; false when the general way is needed.
template <class Op> bool write_into(const char* name, const Op& op, const Tensor& self, const Tensor& o) {
    if (autograd::needs_recording(self, o) || self.scalar_type() != o.scalar_type() || !self.is_contiguous() ||
        !o.is_contiguous() || !self.is_cpu() || !o.is_cpu() || !self.sizes().equals(o.sizes()) ||
        !loop_table<Op>.forward[int(self.scalar_type())] || lie_shifted(self, o))
        return false;
    autograd::check_inplace(self, name);
    pointwise::detail::run_into(pointwise::detail::launch(name, op, self.scalar_type()), self, self, o);
    autograd::rebase_history(self, Tensor(), name);
    return true;
}
template <class Op, class F>
Tensor& in_place(const char* name, const Op& op, const Tensor& self, const Tensor& o, F general) {
    if (!write_into(name, op, self, o)) {
        const Tensor stand_in = reel::detail::begin_in_place(name, self);
        reel::detail::finish_in_place(name, self, stand_in, general(stand_in));
    }
    return const_cast<Tensor&>(self);
}

} // namespace

REEL_OP("add(Tensor input, Tensor other, *, Scalar alpha=1) -> Tensor", rule, method, out, inplace_native,
        samples(call(spread(-2, 2), spread(-2, 2, 1)).with("alpha", 0.7)))
Tensor add(const Tensor& input, const Tensor& other, const Scalar& alpha) {
    if (reel::detail::any_sparse(input, other)) return reel::detail::add_sparse("add", input, other, alpha);
    if (changes_nothing(alpha)) return apply("add", add_op{}, input, other);
    return apply("add", add_op{}, input, scaled("add", input, other, alpha));
}
Tensor& add_(const Tensor& input, const Tensor& other, const Scalar& alpha) {
    if (other.is_sparse() && !input.is_sparse()) return add_into("add_", input, other, alpha);
    if (changes_nothing(alpha))
        return in_place("add_", add_op{}, input, other, [&](const Tensor& x) { return add(x, other, alpha); });
    return in_place("add_", add_op{}, input, scaled("add_", input, other, alpha),
                    [&](const Tensor& x) { return add(x, other, alpha); });
}
REEL_OP("add(Tensor input, Scalar other, Scalar alpha=1) -> Tensor", rule, method, inplace,
        samples(call(spread(-2, 2), 0.7)))
Tensor add(const Tensor& input, const Scalar& other, const Scalar& alpha) {
    if (changes_nothing(alpha)) return beside_any_number("add", add_op{}, input, other, unchanged);
    return add(input, reel::detail::wrapped_number(other), alpha);
}

REEL_OP("sub(Tensor input, Tensor other, *, Scalar alpha=1) -> Tensor", rule, method, out, inplace_native,
        alias("subtract"), samples(call(spread(-2, 2), spread(-2, 2, 1)).with("alpha", 0.7)))
Tensor sub(const Tensor& input, const Tensor& other, const Scalar& alpha) {
    REEL_CHECK(input.scalar_type() != kBool && other.scalar_type() != kBool,
               "sub: subtraction is not defined for bool tensors; use logical_xor");
    if (reel::detail::any_sparse(input, other)) return reel::detail::add_sparse("sub", input, other, minus(alpha));
    if (changes_nothing(alpha)) return apply("sub", sub_op{}, input, other);
    return apply("sub", sub_op{}, input, scaled("sub", input, other, alpha));
}
Tensor& sub_(const Tensor& input, const Tensor& other, const Scalar& alpha) {
    if (other.is_sparse() && !input.is_sparse()) return add_into("sub_", input, other, minus(alpha));
    if (changes_nothing(alpha))
        return in_place("sub_", sub_op{}, input, other, [&](const Tensor& x) { return sub(x, other, alpha); });
    return in_place("sub_", sub_op{}, input, scaled("sub_", input, other, alpha),
                    [&](const Tensor& x) { return sub(x, other, alpha); });
}
REEL_OP("sub(Tensor input, Scalar other, Scalar alpha=1) -> Tensor", rule, method, inplace,
        samples(call(spread(-2, 2), 0.7)))
Tensor sub(const Tensor& input, const Scalar& other, const Scalar& alpha) {
    REEL_CHECK(input.scalar_type() != kBool && !other.isBoolean(),
               "sub: subtraction is not defined for bool operands; use logical_xor");
    if (changes_nothing(alpha)) return beside_any_number("sub", sub_op{}, input, other, unchanged);
    return sub(input, reel::detail::wrapped_number(other), alpha);
}
/// other - alpha input
REEL_OP("rsub(Tensor input, Tensor other, *, Scalar alpha=1) -> Tensor", composite,
        samples(call(spread(-2, 2), spread(-2, 2, 1)).with("alpha", 0.7)))
Tensor rsub(const Tensor& input, const Tensor& other, const Scalar& alpha) { return sub(other, input, alpha); }
REEL_OP("rsub(Tensor input, Scalar other, Scalar alpha=1) -> Tensor", rule, samples(call(spread(-2, 2), 0.7)))
Tensor rsub(const Tensor& input, const Scalar& other, const Scalar& alpha) {
    REEL_CHECK(input.scalar_type() != kBool && !other.isBoolean(),
               "rsub: subtraction is not defined for bool operands; use logical_xor");
    if (reel::detail::loses_number(input.scalar_type(), other))
        return rsub(input.to(kFloat), other, alpha).to(input.scalar_type());
    if (changes_nothing(alpha)) return apply_number("rsub", sub_op{}, input, other, true);
    return sub(reel::detail::wrapped_number(other), input, alpha);
}

REEL_OP("mul(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace_native, alias("multiply"),
        samples(call(spread(-2, 2), spread(-2, 2, 1))))
Tensor mul(const Tensor& input, const Tensor& other) {
    if (reel::detail::any_sparse(input, other)) return reel::detail::mul_sparse(input, other);
    return apply("mul", mul_op{}, input, other);
}
Tensor& mul_(const Tensor& input, const Tensor& other) {
    return in_place("mul_", mul_op{}, input, other, [&](const Tensor& x) { return mul(x, other); });
}
REEL_OP("mul(Tensor input, Scalar other) -> Tensor", rule, method, out, inplace, samples(call(spread(-2, 2), 0.7)))
Tensor mul(const Tensor& input, const Scalar& other) {
    if (input.is_sparse()) return on_values("mul", input, [&](const Tensor& x) { return mul(x, other); });
    return beside_any_number("mul", mul_op{}, input, other, times_number);
}

REEL_OP("div(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("divide"),
        samples(call(spread(-2, 2), spread(0.5, 2, 1))))
Tensor div(const Tensor& input, const Tensor& other) {
    if (reel::detail::any_sparse(input, other)) return reel::detail::div_sparse(input, other);
    return apply("div", div_op{}, input, other);
}
REEL_OP("div(Tensor input, Scalar other) -> Tensor", rule, method, out, inplace, samples(call(spread(-2, 2), 0.7)))
Tensor div(const Tensor& input, const Scalar& other) {
    if (input.is_sparse()) return on_values("div", input, [&](const Tensor& x) { return div(x, other); });
    return beside_any_number("div", div_op{}, input, other, over_number);
}

REEL_OP("neg(Tensor input) -> Tensor", rule, method, out_exact, inplace, alias("negative"),
        samples(call(spread(-2, 2))))
Tensor neg(const Tensor& input) {
    if (input.is_sparse()) return on_values("neg", input, [](const Tensor& x) { return neg(x); });
    return apply("neg", neg_op{}, input);
}

} // namespace reel
