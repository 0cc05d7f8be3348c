// Activations put together from pieces, whose arguments are not those of their rules. `inplace=True` is accepted for
// the spelling's sake; the in-place forms are the ops ending in an underscore.
#include <reel/autograd/kernels/random.hpp>
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/trigonometric.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/pointwise/activation.hpp>
#include <reel/autograd/pointwise/activation_piecewise.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>
#include <reel/autograd/record.hpp>

#include "tensor/raw.hpp"

namespace reel {

using namespace pointwise;

/// min(max(x, 0), 6)
REEL_OP("nn.functional.relu6(Tensor input, bool inplace=False) -> Tensor", rule, inplace)
Tensor relu6(const Tensor& input) {
    REEL_CHECK(input.scalar_type() != kBool, "relu6: input is bool; expected numbers");
    return apply("hardtanh", hardtanh_op(0, 6), input);
}
/// scale x above zero, scale alpha (e^(input_scale x) - 1) below.
REEL_OP("nn.functional.elu(Tensor input, float alpha=1.0, bool inplace=False, *, float scale=1.0, float "
        "input_scale=1.0) -> Tensor",
        rule, inplace, samples(call(spread(-2, 2)).with("alpha", 1.3)))
Tensor elu(const Tensor& input, double alpha, double scale, double input_scale) {
    REEL_CHECK_VALUE(input_scale != 0, "elu: input_scale is 0; expected a number that is not zero");
    return apply("elu", elu_op(alpha, scale, 1 / input_scale), input);
}
/// x above zero, alpha (e^(x / alpha) - 1) below.
REEL_OP("nn.functional.celu(Tensor input, float alpha=1.0, bool inplace=False) -> Tensor", rule, inplace, alias("celu"),
        samples(call(spread(-2, 2)).with("alpha", 1.3)))
Tensor celu(const Tensor& input, double alpha) {
    REEL_CHECK(alpha != 0, "celu: alpha is 0; expected a number that is not zero");
    return apply("celu", elu_op(alpha, 1, alpha), input);
}
/// elu with the alpha and scale that keep mean and variance.
REEL_OP("nn.functional.selu(Tensor input, bool inplace=False) -> Tensor", rule, inplace, alias("selu"))
Tensor selu(const Tensor& input) { return apply("selu", elu_op(1.6732632423543772848, 1.0507009873554804934), input); }
/// x above the threshold, `value` elsewhere.
REEL_OP("nn.functional.threshold(Tensor input, Scalar threshold, Scalar value, bool inplace=False) -> Tensor", rule,
        out, inplace, alias("threshold"), samples(call(spread(-2, 2), 0.3, 7.0)))
Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value) {
    REEL_CHECK(input.scalar_type() != kBool, "threshold: input is bool; expected numbers");
    return apply("threshold", threshold_op(threshold.toDouble(), value.toDouble()), input);
}
/// x above zero, a slope times x elsewhere: the middle of [lower, upper], in training one drawn for each element.
REEL_OP("nn.functional.rrelu(Tensor input, float lower=0.125, float upper=0.3333333333333333, bool training=False, "
        "bool inplace=False, *, "
        "Generator? generator=None) -> Tensor",
        rule, inplace, random, samples(call(numbers({3, 4})).with("training", true)))
Tensor rrelu(const Tensor& input, double lower, double upper, bool training, std::optional<Generator> generator) {
    REEL_CHECK(lower <= upper, "rrelu: lower is ", lower, ", larger than upper ", upper);
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "rrelu: input: there is no kernel for ",
                               dtype_name(input.scalar_type()));
    if (training && input.is_meta()) return apply("rrelu", leaky_relu_op(lower), input); // drawn slopes are values
    if (!training) return apply("leaky_relu", leaky_relu_op((lower + upper) / 2), input);
    Tensor slope;
    {
        slope = reel::detail::empty_raw(input.sizes(), kDouble, input.device());
        kernels::rrelu_slope(slope, input.detach().contiguous() <= 0, lower, upper, generator);
    }
    return input * slope.to(input.scalar_type());
}
/// x / (1 + |x|)
REEL_OP("nn.functional.softsign(Tensor input) -> Tensor", composite)
Tensor softsign(const Tensor& input) { return input / (abs(input) + 1); }
/// x - tanh(x)
REEL_OP("nn.functional.tanhshrink(Tensor input) -> Tensor", composite)
Tensor tanhshrink(const Tensor& input) { return input - tanh(input); }

/// First half of `dim` times the sigmoid of the second half.  The halves of gx: g s and g a s (1 - s)
REEL_OP("nn.functional.glu(Tensor input, int dim=-1) -> Tensor", rule, alias("glu"))
Tensor glu(const Tensor& input, std::int64_t dim) {
    REEL_CHECK(input.dim() > 0, "glu: input is 0-dim; it has no dimension to halve");
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "glu: input: there is no kernel for ",
                               dtype_name(input.scalar_type()));
    const std::int64_t d = reel::detail::wrap_dim("glu", dim, input.dim()), half = input.size(d) / 2;
    REEL_CHECK(input.size(d) % 2 == 0, "glu: dimension ", d, " of input has size ", input.size(d),
               "; expected an even one");
    const Tensor plain = input.detach();
    const Tensor y = evaluate("glu", gated_op{}, narrow(plain, d, 0, half), narrow(plain, d, half, half));
    autograd::record("glu", {input}, y, {input}, [d, half](RuleContext& c) -> GradList {
        const Tensor in = c.saved(0), x = narrow(in, d, 0, half), gate = narrow(in, d, half, half), g = c.grad();
        if (!autograd::needs_recording(in, g))
            return {cat({evaluate("glu_backward", gated_op{}, g, gate),
                         evaluate("glu_backward", gate_gradient_op{}, g, x, gate)},
                        d)};
        const Tensor s = sigmoid(gate);
        return {cat({g * s, g * x * (s * (1 - s))}, d)};
    });
    return y;
}

/// x above zero, weight x elsewhere; one weight in all, or one for each channel (dimension 1).
REEL_OP("nn.functional.prelu(Tensor input, Tensor weight) -> Tensor", rule, method, alias("prelu"))
Tensor prelu(const Tensor& input, const Tensor& weight) {
    REEL_CHECK(input.scalar_type() == weight.scalar_type(), "prelu: input is ", dtype_name(input.scalar_type()),
               " and weight is ", dtype_name(weight.scalar_type()), "; expected one dtype");
    REEL_CHECK(weight.dim() <= 1, "prelu: weight has shape ", weight.sizes(), "; expected a 0-dim or 1-D tensor");
    Tensor w = weight;
    if (weight.numel() != 1) {
        REEL_CHECK(input.dim() > 0, "prelu: input is 0-dim; weight must have one element, it has ", weight.numel());
        const std::int64_t channels = input.dim() > 1 ? input.size(1) : 1;
        REEL_CHECK(weight.numel() == channels, "prelu: weight has ", weight.numel(), " elements; input has ", channels,
                   " channels");
        Dims shape(std::size_t(input.dim()), 1);
        shape[1] = channels;
        w = reshape(weight, shape);
    } else if (input.dim() == 0) w = reshape(weight, {});
    return apply("prelu", prelu_op{}, input, w);
}

} // namespace reel
