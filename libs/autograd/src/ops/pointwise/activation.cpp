// Activations: ops over the scalar rules.
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/pointwise/activation.hpp>

#include "ops/pointwise/rule_host.hpp"

namespace reel {

using namespace pointwise;

REEL_OP("sigmoid(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.expit"),
        alias("nn.functional.sigmoid"))
Tensor sigmoid(const Tensor& input) { return unary_op("sigmoid", sigmoid_op{}, input); }

REEL_OP("relu(Tensor input) -> Tensor", rule, method, inplace,
        alias("nn.functional.relu(Tensor input, bool inplace=False)"), samples(call(numbers({3, 4}))))
Tensor relu(const Tensor& input) { return unary_op("relu", relu_op{}, input); }

/// `approximate` is none or tanh.
REEL_OP("nn.functional.gelu(Tensor input, *, str approximate='none') -> Tensor", rule, out_exact)
Tensor gelu(const Tensor& input, std::string_view approximate) {
    REEL_CHECK(approximate == "none" || approximate == "tanh", "gelu: approximate is '", approximate,
               "'; expected 'none' or 'tanh'");
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "gelu: input: there is no kernel for ",
                               dtype_name(input.scalar_type()));
    return approximate == "tanh" ? unary_op("gelu", gelu_tanh_op{}, input) : unary_op("gelu", gelu_op{}, input);
}

REEL_OP("nn.functional.silu(Tensor input, bool inplace=False) -> Tensor", rule, inplace, alias("silu"))
Tensor silu(const Tensor& input) {
    REEL_CHECK_NOT_IMPLEMENTED(isDifferentiableType(input.scalar_type()), "silu: input: there is no kernel for ",
                               dtype_name(input.scalar_type()));
    return unary_op("silu", silu_op{}, input);
}

REEL_OP("nn.functional.leaky_relu(Tensor input, float negative_slope=0.01, bool inplace=False) -> Tensor", rule,
        inplace, alias("leaky_relu"))
Tensor leaky_relu(const Tensor& input, double negative_slope) {
    return unary_op("leaky_relu", leaky_relu_op(negative_slope), input);
}

} // namespace reel
