#include "gradient_norms.hpp"

#include <reel/autograd/ops.hpp>
#include <reel/nn/modules/linear.hpp>

namespace agents {

using namespace reel;
using autograd::variable_list;

GradientNorms::GradientNorms(nn::Module& network) {
    for (const auto& [path, module] : network.module_items({}, true)) {
        auto* linear = module->as<nn::Linear>();
        if (!linear) continue;
        norms_.push_back(std::make_unique<Norm>(Norm{str("layer ", norms_.size() + 1)}));
        const auto look = [this, linear, norm = norms_.back().get()](nn::Module&, const variable_list&,
                                                                     const variable_list&) {
            if (!listening) return;
            norm->sum += linalg_vector_norm(linear->weight.grad()).item<double>();
            ++norm->count;
        };
        handles_.push_back(module->register_full_backward_hook(look, {.after_parameter_grads = true}));
    }
}
GradientNorms::~GradientNorms() {
    for (RemovableHandle& h : handles_) h.remove();
}
std::vector<std::string> GradientNorms::layers() const {
    std::vector<std::string> r;
    for (const auto& n : norms_) r.push_back(n->layer);
    return r;
}
void GradientNorms::take(History& history, double frames) {
    for (const auto& n : norms_) {
        if (n->count > 0) history.add(n->layer, frames, n->sum / n->count);
        n->sum = n->count = 0;
    }
}

} // namespace agents
