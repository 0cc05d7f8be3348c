// When a call has gates, and over which tensors.
#include "module/backward/call_gates.hpp"

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/nn/module.hpp>

#include "module/backward/new_gates.hpp"

namespace reel::nn::detail {

namespace {
/// The argument that `result` is, or is a view of: in-place work on it must reach the caller's tensor.
Tensor shown_argument(const Tensor& result, const AliasList& inputs) {
    if (!result.defined()) return {};
    const TensorImplPtr& base = result.impl()->is_view() ? result.impl()->view_base() : result.impl();
    for (const auto& [original, alias] : inputs)
        if (base == alias.impl() && !original.is_view()) return original;
    return {};
}
/// May `result` itself be moved behind a gate?
bool needs_no_alias(const Tensor& result) {
    if (!result.defined()) return false;
    const TensorImpl& impl = *result.impl();
    return impl.grad_fn_unchecked() && !impl.is_view() && !impl.meta() && !impl.retains_grad &&
           result.is_uniquely_owned() && autograd::GradMode::is_enabled();
}
} // namespace

CallGates::CallGates(Module& m, BackwardHooks&& hooks)
    : state_(new BackwardState(m, std::move(hooks), !hooks::reference_mode())) {}

bool CallGates::wrap_inputs(TensorList& tensors, Slots&& slots) {
    state_->inputs = std::move(slots);
    if (!wants_gate(tensors)) return false;
    const intrusive_ptr<HookGate> gate = new_input_gate(state_);
    wrap_with_gate(*gate, tensors, !state_->nested, &aliases_);
    state_->inputs_wrapped = true;
    state_->input_gate = gate.get();
    autograd::announce_node(*gate);
    return true;
}

void CallGates::hand_back_history() {
    if (!state_->nested) return; // there, nothing was written in place
    for (auto& [original, alias] : aliases_) {
        const autograd::NodePtr& fn = alias.impl()->grad_fn_unchecked();
        if (fn && fn.get() != state_->input_gate && !original.is_view())
            original.impl()->set_history(fn, std::uint32_t(alias.impl()->output_nr()));
    }
}

bool CallGates::wrap_outputs(TensorList& tensors, Slots&& slots) {
    state_->outputs = std::move(slots);
    if (!wants_gate(tensors)) return false;
    TensorList shown;
    if (state_->nested)
        for (const Tensor& t : tensors) shown.push_back(shown_argument(t, aliases_));
    const intrusive_ptr<HookGate> gate = new_output_gate(state_);
    wrap_with_gate(*gate, tensors, !state_->nested, nullptr);
    for (std::size_t i = 0; i < shown.size(); ++i)
        if (shown[i].defined()) tensors[i].impl()->set_view(shown[i].impl(), CreationMeta::DEFAULT);
    autograd::announce_node(*gate);
    return true;
}

void CallGates::wrap_output(Tensor& result) {
    if (!state_->nested || !needs_no_alias(result)) {
        TensorList one{result};
        if (wrap_outputs(one, Slots::of_tensors(1))) result = std::move(one[0]);
        return;
    }
    state_->outputs = Slots::of_tensors(1);
    const intrusive_ptr<HookGate> gate = new_output_gate(state_);
    move_behind_gate(*gate, result);
    autograd::announce_node(*gate);
}

} // namespace reel::nn::detail
