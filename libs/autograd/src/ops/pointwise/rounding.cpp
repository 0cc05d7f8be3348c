// Rounding: ops over the scalar rules. Integers are already whole.
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/ops/pointwise/rounding.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/pointwise/rounding.hpp>

#include "ops/pointwise/elementwise.hpp"

#include <cmath>

namespace reel {

using namespace pointwise;

namespace {
template <class Op> Tensor whole(const char* name, const Tensor& input) {
    return isIntegralType(input.scalar_type()) ? input.clone() : unary_op(name, Op{}, input);
}
} // namespace

REEL_OP("floor(Tensor input) -> Tensor", rule, method, out_exact, inplace, samples(call(numbers({4, 3}))))
Tensor floor(const Tensor& input) { return whole<floor_op>("floor", input); }
REEL_OP("ceil(Tensor input) -> Tensor", rule, method, out_exact, inplace)
Tensor ceil(const Tensor& input) { return whole<ceil_op>("ceil", input); }
REEL_OP("trunc(Tensor input) -> Tensor", rule, method, out_exact, inplace, alias("fix"))
Tensor trunc(const Tensor& input) { return whole<trunc_op>("trunc", input); }

/// To the nearest multiple of 10^-decimals; halves go to the even neighbour.
REEL_OP("round(Tensor input, *, int decimals=0) -> Tensor", rule, method, out_exact, inplace, alias("special.round"))
Tensor round(const Tensor& input, std::int64_t decimals) {
    if (decimals == 0) return whole<round_op>("round", input);
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "round: input is ", dtype_name(input.scalar_type()),
                               "; decimals are for floating tensors");
    Tensor y;
    {
        const NoGradGuard guard;
        // Every step rounds to the dtype, the scale first.
        const Tensor scale = full({}, std::pow(10.0, std::abs(double(decimals))), TensorOptions(input.scalar_type()));
        y = decimals > 0 ? round(input * scale, 0) / scale : round(input / scale, 0) * scale;
    }
    autograd::record("round", {input}, y, {}, [](RuleContext& c) -> GradList { return {zeros_like(c.grad())}; });
    return y;
}

/// What is left after trunc.
REEL_OP("frac(Tensor input) -> Tensor", rule, method, out_exact, inplace)
Tensor frac(const Tensor& input) {
    const Tensor y = elementwise::map<elementwise::Floats>(
        "frac", input.scalar_type(), [](auto x) { return x - std::trunc(x); }, input);
    autograd::record("frac", {input}, y, {}, [](RuleContext& c) -> GradList { return {c.grad()}; });
    return y;
}

} // namespace reel
