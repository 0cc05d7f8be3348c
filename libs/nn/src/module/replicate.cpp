// Deep copies whose tensors remember where they came from.
#include <reel/nn/parallel.hpp>
#include <reel/nn/replicate.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>

namespace reel::nn {

namespace {
/// Brings the gradient of a replica's tensor home.
class ReplicateBackward final : public autograd::Node {
public:
    explicit ReplicateBackward(Device home) : home_(home) {}
    std::string name() const override { return "ReplicateBackward"; }
    autograd::GradList apply(autograd::GradList&& grads) override {
        for (Tensor& g : grads)
            if (g.defined() && g.device() != home_) g = g.to(TensorOptions(home_));
        return std::move(grads);
    }

private:
    Device home_;
};
/// `to`, a replica's tensor, is from now on a copy of the original's `from` on the tape.
void connect(const Tensor& from, const Tensor& to) {
    if (!GradMode::is_enabled() || !from.requires_grad()) {
        to.requires_grad_(false);
        return;
    }
    const autograd::NodePtr node(new ReplicateBackward(from.device()));
    node->add_next_edge(autograd::gradient_edge(from));
    const std::uint32_t slot = node->add_input_metadata(autograd::InputMetadata(to));
    to.impl()->set_history(node, slot);
}
} // namespace

std::vector<ModulePtr> replicate(const Module& module, const std::vector<Device>& devices) {
    REEL_CHECK_VALUE(!devices.empty(), module.repr_name(), ": replicate: no device was given");
    std::vector<ModulePtr> replicas;
    for (const Device& device : devices) {
        const ModulePtr replica = module.clone(device);
        const auto originals = module.module_items({}, true), copies = replica->module_items({}, true);
        REEL_INTERNAL_ASSERT(originals.size() == copies.size());
        for (std::size_t i = 0; i < copies.size(); ++i) {
            Module& copy = *copies[i].second;
            for (const auto& item : originals[i].second->own_parameters()) {
                const Tensor& from = *item;
                const Tensor to = copy.own_parameters()[item.key()];
                copy.attributes_.set(Value(item.key()), to.defined() ? Value(to) : Value());
                // The same tensor object, so that the members of the class see it too; tied ones come here twice.
                if (!to.defined() || to.grad_fn()) continue;
                to.impl()->is_parameter = false;
                connect(from, to);
            }
            for (const std::string& name : copy.parameters_.keys())
                copy.unregister_parameter(name); // members keep them
            copy.replica_ = true;
        }
        replicas.push_back(replica);
    }
    return replicas;
}

std::vector<ModulePtr> parallel::detail::connected_copies(const Module& module, const std::vector<Device>& devices) {
    REEL_CHECK_VALUE(!devices.empty(), module.repr_name(), ": replicate: no device was given");
    std::vector<ModulePtr> copies;
    for (const Device& device : devices) {
        copies.push_back(module.clone(device));
        const auto from = module.module_items({}, true), to = copies.back()->module_items({}, true);
        REEL_INTERNAL_ASSERT(from.size() == to.size());
        for (std::size_t i = 0; i < to.size(); ++i)
            for (const auto& item : from[i].second->own_parameters()) {
                const Tensor& copy = to[i].second->own_parameters()[item.key()];
                if (copy.defined() && !copy.grad_fn()) connect(*item, copy); // tied ones come here twice
            }
    }
    return copies;
}

} // namespace reel::nn
