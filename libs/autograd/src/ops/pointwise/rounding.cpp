// Rounding to decimals.
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/rounding.hpp>
#include <reel/autograd/pointwise/rounding.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>

#include <cmath>

namespace reel {

using namespace pointwise;

/// To the nearest multiple of 10^-decimals; halves go to the even neighbour.
REEL_OP("round(Tensor input, *, int decimals=0) -> Tensor", rule, method, out_exact, inplace, alias("special.round"))
Tensor round(const Tensor& input, std::int64_t decimals) {
    if (decimals == 0) return apply("round", round_op{}, input);
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

} // namespace reel
