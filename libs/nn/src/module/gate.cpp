// Aliases under an identity node.
#include "module/gate.hpp"

#include <reel/autograd/grad_mode.hpp>

namespace reel::nn::detail {

autograd::GradList HookGate::apply(autograd::GradList&& grads) {
    autograd::GradList out(std::move(grads));
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!out[i].defined()) out[i] = input_metadata(i).zeros();
    return out;
}

namespace {
Tensor alias_of(const Tensor& t) {
    TensorImpl& from = t.checked();
    TensorImplPtr impl(new TensorImpl(from.storage(), from.dtype(), from.device()));
    impl->share_version(from);
    impl->set_geometry(from.sizes(), from.strides(), from.storage_offset());
    impl->is_inference = from.is_inference;
    return Tensor(std::move(impl));
}
} // namespace

intrusive_ptr<HookGate> wrap_with_gate(std::vector<Tensor>& tensors, bool reference_mode) {
    std::size_t differentiable = 0;
    for (const Tensor& t : tensors) differentiable += t.requires_grad();
    if (!GradMode::is_enabled() || differentiable == 0) return nullptr;
    intrusive_ptr<HookGate> gate(new HookGate);
    for (Tensor& t : tensors) {
        const bool rg = t.requires_grad();
        gate->add_next_edge(rg ? autograd::gradient_edge(t) : autograd::Edge());
        autograd::InputMetadata meta(t);
        meta.differentiable = rg;
        const std::uint32_t slot = gate->add_input_metadata(std::move(meta));
        Tensor alias = alias_of(t);
        if (reference_mode) {
            alias.impl()->set_view(t.is_view() ? t.impl()->view_base() : t.impl(), !rg ? CreationMeta::Default
                                                                                   : differentiable > 1
                                                                                       ? CreationMeta::MultiOutput
                                                                                       : CreationMeta::CustomFunction);
        }
        if (rg) alias.impl()->set_history(autograd::NodePtr(gate), slot);
        t = std::move(alias);
    }
    return gate;
}

} // namespace reel::nn::detail
