// The state of a call, and the gates put over its inputs and outputs.
#include "module/backward/state.hpp"

#include <algorithm>
#include <mutex>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/memory.hpp>
#include <reel/nn/module.hpp>

#include "module/backward/hook_gates.hpp"

namespace reel::nn::detail {

void check_count(const Module& m, const char* what, std::size_t got, std::size_t expected) {
    REEL_CHECK(got == expected, m.name(), ": ", what, " returned ", got, " gradients, expected ", expected);
}

BackwardState::BackwardState(Module& m, BackwardHooks h, bool n)
    : module(&m), nested(n), keep_alive_(m.weak_from_this().lock()), hooks_(std::move(h)), managed_(bool(keep_alive_)) {
    const auto look = [&](const auto& record) {
        over_tensors = over_tensors && record.fn.over_tensors;
        if constexpr (requires { record.fn.after_parameter_grads; }) later = later || record.fn.after_parameter_grads;
    };
    for_each_hook(hooks_.pre_global, hooks_.pre_local, look);
    for_each_hook(hooks_.full_global, hooks_.full_local, look);
}
void* BackwardState::operator new(std::size_t n) { return cpu_alloc(n); }
void BackwardState::operator delete(void* p, std::size_t n) noexcept { cpu_free(p, n); }

void BackwardState::let_go() noexcept {
    if (!nested) return; // in the reference mode they stay as long as the graph (B-44)
    Held last;           // may destroy the module: without the lock
    const std::lock_guard lock(lock_);
    if (gone_) return;
    gone_ = true;
    last = {std::move(keep_alive_), std::move(hooks_)};
    hooks_ = {};
    weak_pre_global_ = last.hooks.pre_global;
    weak_pre_local_ = last.hooks.pre_local;
    weak_full_global_ = last.hooks.full_global;
    weak_full_local_ = last.hooks.full_local;
    weak_module_ = last.module;
}
std::optional<BackwardState::Held> BackwardState::hold() {
    const std::lock_guard lock(lock_);
    if (gone_) {
        if (managed_ && !(keep_alive_ = weak_module_.lock())) return std::nullopt;
        hooks_ = {weak_pre_global_.lock(), weak_pre_local_.lock(), weak_full_global_.lock(), weak_full_local_.lock()};
        gone_ = false;
    }
    return Held{keep_alive_, hooks_};
}

bool BackwardState::full_hooks_follow(const BackwardHooks& hooks) const {
    return inputs_wrapped && hooks.has_full() && input_gate && autograd::impl::runs_in_this_pass(*input_gate);
}
void BackwardState::put_grad_output(Value values, autograd::GradList tensors) {
    const std::int64_t pass = autograd::current_graph_task_id();
    GradOutput arrived{pass, std::this_thread::get_id(), std::move(values), std::move(tensors)};
    {
        const std::lock_guard lock(lock_);
        const auto mine = std::find_if(grad_outputs_.begin(), grad_outputs_.end(),
                                       [&](const GradOutput& g) { return g.thread == arrived.thread; });
        if (mine == grad_outputs_.end()) grad_outputs_.push_back(std::move(arrived));
        else std::swap(*mine, arrived); // what was there goes without the lock
    }
    if (!GradMode::is_enabled()) return;
    // With a history of its own it would hold this very graph, if the pass failed before the input gate ran.
    autograd::impl::at_end_of_pass([state = StatePtr(this), pass] { state->drop_grad_output(pass); });
}
std::optional<GradOutput> BackwardState::take_grad_output() {
    const std::int64_t pass = autograd::current_graph_task_id();
    if (pass < 0) return std::nullopt;
    const std::lock_guard lock(lock_);
    const auto it =
        std::find_if(grad_outputs_.begin(), grad_outputs_.end(), [&](const GradOutput& g) { return g.pass == pass; });
    if (it == grad_outputs_.end()) return std::nullopt;
    GradOutput taken = std::move(*it);
    grad_outputs_.erase(it);
    return taken;
}
void BackwardState::drop_grad_output(std::int64_t pass) noexcept {
    GradOutput last;
    const std::lock_guard lock(lock_);
    const auto it =
        std::find_if(grad_outputs_.begin(), grad_outputs_.end(), [&](const GradOutput& g) { return g.pass == pass; });
    if (it == grad_outputs_.end()) return;
    std::swap(*it, last);
    grad_outputs_.erase(it);
}

void wrap_inputs(TensorList& tensors, const StatePtr& state, bool reference, AliasList& aliases) {
    if (!wants_gate(tensors)) return;
    const intrusive_ptr<HookGate> gate = new_input_gate(state);
    wrap_with_gate(*gate, tensors, reference, &aliases);
    state->inputs_wrapped = true;
    state->input_gate = gate.get();
    autograd::announce_node(*gate);
}

namespace {
/// The argument that `result` is, or is a view of: in-place work on it must reach the caller's tensor.
Tensor shown_argument(const Tensor& result, const AliasList& inputs) {
    const TensorImplPtr& base = result.impl()->is_view() ? result.impl()->view_base() : result.impl();
    for (const auto& [original, alias] : inputs)
        if (base == alias.impl() && !original.is_view()) return original;
    return {};
}
} // namespace

bool wrap_outputs(TensorList& tensors, const StatePtr& state, bool reference, const AliasList& inputs) {
    if (!wants_gate(tensors)) return false;
    TensorList shown;
    for (const Tensor& t : tensors) shown.push_back(shown_argument(t, inputs));
    const intrusive_ptr<HookGate> gate = new_output_gate(state);
    wrap_with_gate(*gate, tensors, reference, nullptr);
    for (std::size_t i = 0; i < shown.size(); ++i)
        if (shown[i].defined()) tensors[i].impl()->set_view(shown[i].impl(), CreationMeta::Default);
    autograd::announce_node(*gate);
    return true;
}
bool wrap_output(Tensor& result, const StatePtr& state, bool reference, const AliasList& inputs) {
    const TensorImpl& impl = *result.impl();
    if (reference || !impl.grad_fn_unchecked() || impl.is_view() || impl.meta() || impl.retains_grad ||
        !result.is_uniquely_owned() || !autograd::GradMode::is_enabled()) {
        TensorList one{result};
        if (!wrap_outputs(one, state, reference, inputs)) return false;
        result = std::move(one[0]);
        return true;
    }
    const intrusive_ptr<HookGate> gate = new_output_gate(state);
    move_behind_gate(*gate, result);
    autograd::announce_node(*gate);
    return true;
}

void hand_back_history(const AliasList& aliases, const HookGate* gate) {
    for (auto& [original, alias] : aliases) {
        const autograd::NodePtr& fn = alias.impl()->grad_fn_unchecked();
        if (fn && fn.get() != gate && !original.is_view())
            original.impl()->set_history(fn, std::uint32_t(alias.impl()->output_nr()));
    }
}

} // namespace reel::nn::detail
