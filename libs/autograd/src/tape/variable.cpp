// Tensors made for the tape by hand.
#include <reel/autograd/variable.hpp>

#include <reel/autograd/node.hpp>

#include "tensor/raw.hpp"

namespace reel::autograd {

namespace {
/// Passes no gradient on.
class UndefinedGradBackward final : public Node {
public:
    std::string name() const override { return "UndefinedGrad"; }
    GradList apply(GradList&&) override {
        GradList none;
        for (std::uint32_t i = 0; i < num_outputs(); ++i) none.push_back(Tensor());
        return none;
    }
};
} // namespace

Variable make_variable(const Tensor& data, bool requires_grad) {
    Tensor leaf = data.detach();
    if (requires_grad) leaf.requires_grad_();
    return leaf;
}

variable_list UndefinedGrad::apply(const variable_list& inputs) const {
    const NodePtr node(new UndefinedGradBackward);
    variable_list outputs;
    for (const Tensor& input : inputs) {
        node->add_next_edge(gradient_edge(input));
        outputs.push_back(reel::detail::alias_raw(input.detach()));
        outputs.back().unsafeGetTensorImpl()->set_history(node, node->add_input_metadata(outputs.back()));
    }
    return outputs;
}

} // namespace reel::autograd
