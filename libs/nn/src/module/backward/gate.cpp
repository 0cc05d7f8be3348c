// Aliases under an identity node.
#include "module/backward/gate.hpp"

#include <reel/autograd/grad_mode.hpp>

namespace reel::nn::detail {

autograd::GradList HookGate::filled(autograd::GradList arrived) const {
    autograd::GradList passed(std::move(arrived));
    for (std::size_t i = 0; i < passed.size(); ++i)
        if (const auto& meta = input_metadata(std::uint32_t(i));
            !passed[i].defined() && meta.dtype != ScalarType::Undefined)
            passed[i] = meta.zeros();
    return passed;
}

namespace {
Tensor alias_of(const Tensor& t) {
    TensorImpl& from = *t.impl();
    TensorImplPtr impl(new TensorImpl(from.storage(), from.dtype(), from.device()));
    impl->share_version(from);
    if (from.layout() == kSparse) impl->set_sparse(from.sizes());
    else impl->copy_geometry(from);
    impl->is_inference = from.is_inference;
    return Tensor(std::move(impl));
}
} // namespace

bool wants_gate(const TensorList& tensors) {
    if (!GradMode::is_enabled()) return false;
    for (const Tensor& t : tensors)
        if (t.defined() && t.impl()->requires_grad()) return true;
    return false;
}

void wrap_with_gate(HookGate& gate, TensorList& tensors, bool reference_mode, AliasList* replaced) {
    std::size_t differentiable = 0;
    if (reference_mode)
        for (const Tensor& t : tensors) differentiable += t.defined() && t.requires_grad();
    for (Tensor& t : tensors) {
        if (!t.defined()) { // nothing to stand behind the gate, but it has its place among the gradients
            gate.add_next_edge(autograd::Edge());
            autograd::InputMetadata absent;
            absent.differentiable = false;
            gate.add_input_metadata(std::move(absent));
            continue;
        }
        const bool rg = t.impl()->requires_grad();
        std::uint32_t slot = 0;
        if (rg) {
            gate.add_next_edge(autograd::gradient_edge(t));
            slot = gate.add_input_metadata(t);
        } else {
            gate.add_next_edge(autograd::Edge());
            autograd::InputMetadata meta(t);
            meta.differentiable = false;
            gate.add_input_metadata(std::move(meta));
        }
        Tensor alias = alias_of(t);
        if (reference_mode) {
            alias.impl()->set_view(t.is_view() ? t.impl()->view_base() : t.impl(),
                                   !rg                  ? CreationMeta::DEFAULT
                                   : differentiable > 1 ? CreationMeta::MULTI_OUTPUT_NODE
                                                        : CreationMeta::IN_CUSTOM_FUNCTION);
        } else if (t.is_view()) {
            alias.impl()->set_view(t.impl()->view_base(), t.impl()->creation_meta()); // in-place work reaches the base
        }
        if (rg) alias.impl()->set_history(autograd::NodePtr(&gate), slot);
        if (replaced) replaced->emplace_back(std::move(t), alias);
        t = std::move(alias);
    }
}

void move_behind_gate(HookGate& gate, const Tensor& t) {
    TensorImpl& impl = *t.impl();
    gate.add_next_edge(autograd::Edge(impl.grad_fn_unchecked(), impl.output_nr()));
    impl.set_history(autograd::NodePtr(&gate), gate.add_input_metadata(t));
}

} // namespace reel::nn::detail
