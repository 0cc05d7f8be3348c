// How a call's hooks outlive it, and how grad_output comes from one gate to the other.
#include "module/backward/state.hpp"

#include <algorithm>
#include <mutex>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/memory.hpp>
#include <reel/nn/module.hpp>

namespace reel::nn::detail {

BackwardState::BackwardState(Module& m, BackwardHooks&& h, bool n)
    : module(&m), nested(n), keep_alive_(m.weak_from_this().lock()), hooks_(std::move(h)), managed_(bool(keep_alive_)) {
    for_each_hook(hooks_.pre_global, hooks_.pre_local,
                  [&](const auto& record) { all_over_tensors_ &= bool(record.fn.over_tensors); });
    for_each_hook(hooks_.full_global, hooks_.full_local, [&](const auto& record) {
        all_over_tensors_ &= bool(record.fn.over_tensors);
        has_late_hooks_ |= record.fn.after_parameter_grads;
    });
}
void* BackwardState::operator new(std::size_t n) { return cpu_alloc(n); }
void BackwardState::operator delete(void* p, std::size_t n) noexcept { cpu_free(p, n); }

void BackwardState::weaken() noexcept {
    if (!nested) return; // in the reference mode they stay as long as the graph (B-44)
    LiveHooks last;      // may destroy the module: without the lock
    const std::lock_guard guard(lock_);
    if (weakened_) return;
    weakened_ = true;
    last = {std::move(keep_alive_), std::move(hooks_)};
    hooks_ = {};
    weak_pre_global_ = last.hooks.pre_global;
    weak_pre_local_ = last.hooks.pre_local;
    weak_full_global_ = last.hooks.full_global;
    weak_full_local_ = last.hooks.full_local;
    weak_module_ = last.module;
}
std::optional<BackwardState::LiveHooks> BackwardState::lock() {
    const std::lock_guard guard(lock_);
    if (weakened_) {
        if (managed_ && !(keep_alive_ = weak_module_.lock())) return std::nullopt;
        hooks_ = {weak_pre_global_.lock(), weak_pre_local_.lock(), weak_full_global_.lock(), weak_full_local_.lock()};
        weakened_ = false;
    }
    return LiveHooks{keep_alive_, hooks_};
}

bool BackwardState::only_full_hooks_follow() {
    if (!inputs_wrapped) return false;
    const std::lock_guard guard(lock_);
    return !weakened_ && !hooks_.has_pre();
}
bool BackwardState::full_hooks_follow(const BackwardHooks& hooks) const {
    return inputs_wrapped && hooks.has_full() && input_gate && autograd::impl::runs_in_this_pass(*input_gate);
}
void BackwardState::put_grad_output(KeptGradients&& gradients) {
    const std::int64_t pass = autograd::current_graph_task_id();
    const std::thread::id thread = std::this_thread::get_id();
    GradOutput before; // goes without the lock
    {
        const std::lock_guard guard(lock_);
        const auto mine = std::find_if(grad_outputs_.begin(), grad_outputs_.end(),
                                       [&](const GradOutput& g) { return g.thread == thread; });
        if (mine == grad_outputs_.end()) grad_outputs_.emplace_back(pass, thread, std::move(gradients));
        else before = std::exchange(*mine, GradOutput{pass, thread, std::move(gradients)});
    }
    if (!GradMode::is_enabled()) return;
    // With a history of its own it would hold this very graph, if the pass failed before the input gate ran.
    autograd::impl::at_end_of_pass([state = StatePtr(this), pass] { state->drop_grad_output(pass); });
}
std::optional<KeptGradients> BackwardState::take_grad_output() {
    const std::int64_t pass = autograd::current_graph_task_id();
    if (pass < 0) return std::nullopt;
    const std::lock_guard guard(lock_);
    const auto it =
        std::find_if(grad_outputs_.begin(), grad_outputs_.end(), [&](const GradOutput& g) { return g.pass == pass; });
    if (it == grad_outputs_.end()) return std::nullopt;
    std::optional<KeptGradients> taken(std::move(it->gradients));
    grad_outputs_.erase(it);
    return taken;
}
void BackwardState::drop_grad_output(std::int64_t pass) noexcept {
    GradOutput last;
    const std::lock_guard guard(lock_);
    const auto it =
        std::find_if(grad_outputs_.begin(), grad_outputs_.end(), [&](const GradOutput& g) { return g.pass == pass; });
    if (it == grad_outputs_.end()) return;
    std::swap(*it, last);
    grad_outputs_.erase(it);
}

} // namespace reel::nn::detail
