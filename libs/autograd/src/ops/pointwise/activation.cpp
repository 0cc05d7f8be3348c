// The activation whose argument chooses among rules.
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/trigonometric.hpp>
#include <reel/autograd/pointwise/activation.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>

namespace reel {

using namespace pointwise;

/// `approximate` is none or tanh.
REEL_OP("nn.functional.gelu(Tensor input, *, str approximate='none') -> Tensor", rule, out_exact,
        samples(call(spread(-2, 2)).with("approximate", "tanh")))
Tensor gelu(const Tensor& input, std::string_view approximate) {
    REEL_CHECK(approximate == "none" || approximate == "tanh", "gelu: approximate is '", approximate,
               "'; expected 'none' or 'tanh'");
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "gelu: input: there is no kernel for ",
                               dtype_name(input.scalar_type()));
    return approximate == "tanh" ? apply("gelu", gelu_tanh_op{}, input) : apply("gelu", gelu_op{}, input);
}

} // namespace reel
