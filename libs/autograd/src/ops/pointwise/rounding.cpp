// Rounding to decimals.
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/rounding.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
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
        const ScalarType t = input.scalar_type();
        const Tensor x = t == kHalf || t == kBFloat16 ? input.to(kFloat) : input;
        const Tensor scale = full({}, std::pow(10.0, std::abs(double(decimals))), TensorOptions(x.scalar_type()));
        if (decimals > 0) { // a number that the scale leads out of its range has no decimals to lose
            const Tensor scaled = x * scale;
            y = where(isfinite(scaled), round(scaled, 0) / scale, x);
        } else { // and one that the scale is too large for is nearest to zero
            const Tensor count = round(x / scale, 0);
            y = where(isfinite(x), where(count == 0, count, count * scale), x);
        }
        y = y.to(t);
    }
    autograd::record("round", {input}, y, {}, [](RuleContext& c) -> GradList { return {zeros_like(c.grad())}; });
    return y;
}

} // namespace reel
