// Selection by a condition.
#include <reel/autograd/kernels/where.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/record.hpp>

#include "ops/pointwise/run.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

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
        const Tensor cast = expand_raw(by_rows_raw(cast_raw(x, dtype)), sizes);
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

} // namespace reel
