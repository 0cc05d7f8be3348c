// Nearness and selection by a condition.
#include <reel/autograd/kernels/where.hpp>
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/record.hpp>

#include "ops/pointwise/run.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

/// |input - other| <= atol + rtol |other|; equal infinities are close, NaNs with `equal_nan`.
REEL_OP("isclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
        not_differentiable, method)
Tensor isclose(const Tensor& input, const Tensor& other, double rtol, double atol, bool equal_nan) {
    REEL_CHECK(input.scalar_type() == other.scalar_type(), "isclose: input is ", dtype_name(input.scalar_type()),
               " and other is ", dtype_name(other.scalar_type()), "; expected one dtype");
    REEL_CHECK(rtol >= 0, "isclose: rtol is ", rtol, "; expected a number that is not negative");
    REEL_CHECK(atol >= 0, "isclose: atol is ", atol, "; expected a number that is not negative");
    const NoGradGuard guard;
    Tensor close = input == other;
    if (isDifferentiableType(input.scalar_type()) && equal_nan)
        close = logical_or(close, logical_and(isnan(input), isnan(other)));
    if (rtol == 0 && atol == 0) return close;
    const bool whole = isIntegralType(input.scalar_type(), true);
    const Tensor x = whole ? input.to(get_default_dtype()) : input, o = whole ? other.to(get_default_dtype()) : other;
    const Tensor allowed = abs(o * rtol) + atol, difference = abs(x - o);
    return logical_or(close, logical_and(isfinite(difference), difference <= allowed));
}

namespace {
/// Where the result lives: on the device of the first operand that is not on the CPU.
Device device_of(std::initializer_list<std::reference_wrapper<const Tensor>> operands) {
    for (const Tensor& t : operands)
        if (!t.is_cpu()) return t.device();
    return kCPU;
}
} // namespace

/// Elements of `input` where `condition` holds, of `other` elsewhere.
REEL_OP("where(Tensor condition, Tensor input, Tensor other) -> Tensor", rule, out_exact,
        samples(call(numbers({3, 4}) > 0, numbers({3, 4}), numbers({4})),
                call(numbers({3, 4}) > 0, numbers({3, 4}, kComplexDouble), numbers({3, 4}))))
Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other) {
    REEL_CHECK(condition.scalar_type() == kBool || condition.scalar_type() == kByte, "where: condition is ",
               dtype_name(condition.scalar_type()), "; expected bool");
    const ScalarType t = result_type(input, other);
    const Dims sizes =
        broadcast_shapes("where", condition.sizes(), broadcast_shapes("where", input.sizes(), other.sizes()));
    Tensor out = empty_raw(sizes, t, device_of({condition, input, other}));
    const auto operand = [&](const Tensor& x, ScalarType dtype) {
        const Tensor cast = expand_raw(cast_raw(x, dtype), sizes);
        return out.is_cpu() ? cast : pointwise::detail::following(cast, out.device());
    };
    kernels::where(out, operand(condition, kBool), operand(input, t), operand(other, t));
    record("where", {condition, input, other}, out, {condition},
           [cx = input.is_complex(), co = other.is_complex()](RuleContext& c) -> GradList {
               const Tensor cond = c.saved(0);
               const Tensor& g = c.grad();
               return {Tensor(), c.needs(1) ? pointwise::fit_gradient(where(cond, g, Scalar(0)), cx) : Tensor(),
                       c.needs(2) ? pointwise::fit_gradient(where(cond, Scalar(0), g), co) : Tensor()};
           });
    return out;
}
REEL_OP("where(Tensor condition, Tensor input, Scalar other) -> Tensor", composite, out_exact)
Tensor where(const Tensor& condition, const Tensor& input, const Scalar& other) {
    return where(condition, input, wrapped_number(other));
}
REEL_OP("where(Tensor condition, Scalar input, Tensor other) -> Tensor", composite, out_exact)
Tensor where(const Tensor& condition, const Scalar& input, const Tensor& other) {
    return where(condition, wrapped_number(input), other);
}
REEL_OP("where(Tensor condition, Scalar input, Scalar other) -> Tensor", not_differentiable, out_exact)
Tensor where(const Tensor& condition, const Scalar& input, const Scalar& other) {
    return where(condition, wrapped_number(input), wrapped_number(other));
}
/// `input` with `value` where `mask` is true. A tensor `value` is 0-dim and gets the sum of the gradients of the places
/// that it fills.
REEL_OP("masked_fill(Tensor input, Tensor mask, Tensor value) -> Tensor", composite, method, inplace,
        samples(call(numbers({4, 3}), numbers({4, 3}) > 0, numbers({}).requires_grad_())))
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Tensor& value) {
    REEL_CHECK(mask.scalar_type() == kBool, "masked_fill: mask is ", dtype_name(mask.scalar_type()), "; expected bool");
    REEL_CHECK(value.dim() == 0, "masked_fill: value has shape ", value.sizes(),
               "; expected a number or a 0-dim tensor");
    REEL_CHECK(input.is_complex() || !value.is_complex(), "masked_fill: value is ", dtype_name(value.scalar_type()),
               ", which does not convert to ", dtype_name(input.scalar_type()));
    return where(mask, value.to(input.scalar_type()), input);
}
REEL_OP("masked_fill(Tensor input, Tensor mask, Scalar value) -> Tensor", composite, method, inplace)
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Scalar& value) {
    REEL_CHECK(mask.scalar_type() == kBool, "masked_fill: mask is ", dtype_name(mask.scalar_type()), "; expected bool");
    REEL_CHECK(input.is_complex() || !value.isComplex(), "masked_fill: value ", value, " does not convert to ",
               dtype_name(input.scalar_type()));
    return where(mask, reel::full({}, value, TensorOptions(input.scalar_type()).device(input.device())), input);
}

} // namespace reel
