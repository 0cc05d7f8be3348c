// Parts of floating numbers: neighbours, mantissa and exponent.
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/float_parts.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/pointwise/float_parts.hpp>

#include "ops/pointwise/run.hpp"

namespace reel {

using namespace pointwise;

/// The next representable number after `input` towards `other`.
REEL_OP("nextafter(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
Tensor nextafter(const Tensor& input, const Tensor& other) {
    const ScalarType t = result_type(input, other);
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), "nextafter: input: there is no kernel for ", dtype_name(t),
                               "; expected floating operands");
    if (t == kBFloat16) return apply("nextafter", nextafter_op<BFloat16>{}, input, other);
    if (t == kHalf) return apply("nextafter", nextafter_op<Half>{}, input, other);
    return apply("nextafter", nextafter_op<void>{}, input, other);
}

/// input = mantissa 2^exponent with mantissa in (-1, -1/2] or [1/2, 1); the exponent is int32.
REEL_OP("frexp(Tensor input) -> (Tensor mantissa, Tensor exponent)", rule, method, out)
std::tuple<Tensor, Tensor> frexp(const Tensor& input) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), "frexp: input: there is no kernel for ", dtype_name(t),
                               "; expected a floating tensor");
    const Tensor mantissa = evaluate("frexp", mantissa_op{}, input), exponent = evaluate("frexp", exponent_op{}, input);
    autograd::record("frexp", {input}, mantissa, {exponent}, [](RuleContext& c) -> GradList {
        return {c.grad() / exp2(c.saved(0).to(c.grad().scalar_type()))};
    });
    return {mantissa, exponent};
}

} // namespace reel
