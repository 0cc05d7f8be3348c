// O of B-6: once the gradients of a call's result are known, its pre-hooks run.
#include "module/backward/new_gates.hpp"

#include <reel/autograd/hooks.hpp>
#include <reel/nn/module.hpp>

#include "module/backward/full_hooks.hpp"
#include "module/hooks/fire.hpp"

namespace reel::nn::detail {

using autograd::GradList;

namespace {

/// B-10.2.
template <class Gradients>
void run_pre_hooks(const BackwardState& s, const BackwardHooks& hooks, Gradients& grad_output) {
    for_each_hook(hooks.pre_global, hooks.pre_local, [&](const auto& record) {
        auto returned = fire(
            {autograd::HookKind::BackwardPre, record.id, s.module}, [&] { return grad_output.tensors(); },
            [&] { return grad_output.shown_to(record.fn); }, [&](const auto& r) { return grad_output.returned(r); });
        if (is_given(returned)) grad_output.replace(std::move(returned));
    });
}

class OutputGate final : public HookGate {
public:
    explicit OutputGate(StatePtr state) : state_(std::move(state)) {}
    GradList apply(GradList&& arrived) override {
        if (state_->tensors_suffice() && state_->only_full_hooks_follow()) return passed_on(std::move(arrived));
        const auto live = state_->lock();
        if (!live) return std::move(arrived);
        try {
            return state_->tensors_suffice() ? run_hooks<TensorGradients>(std::move(arrived), *live)
                                             : run_hooks<ValueGradients>(std::move(arrived), *live);
        } catch (...) {
            state_->weaken();
            throw;
        }
    }
    void release_variables() override {
        BackwardState& s = *state_;
        if (!s.input_gate || !autograd::impl::runs_in_this_pass(*s.input_gate)) s.weaken();
    }

private:
    /// Nobody looks here, but the input gate's hooks will.
    GradList passed_on(GradList&& arrived) {
        BackwardState& s = *state_;
        GradList passed(arrived);
        if (s.input_gate && autograd::impl::runs_in_this_pass(*s.input_gate))
            s.put_grad_output({std::nullopt, RecycledList(std::move(arrived))});
        return passed;
    }
    /// B-10.
    template <class Gradients> GradList run_hooks(GradList&& arrived, const BackwardState::LiveHooks& live) {
        BackwardState& s = *state_;
        GradList passed(arrived); // undefined ones stay so, unless a hook replaces some (B-21)
        Gradients grad_output(s, End::Output, std::move(arrived));
        run_pre_hooks(s, live.hooks, grad_output);
        if (!s.inputs_wrapped) {
            const auto no_inputs = Gradients::absent(s, End::Input);
            run_full_hooks_at_output(s, live.hooks, no_inputs, grad_output);
            run_late_full_hooks(state_, live, no_inputs, grad_output);
        }
        if (grad_output.changed()) {
            passed = filled(std::move(passed));
            grad_output.put_into(passed);
        }
        if (s.full_hooks_follow(live.hooks)) s.put_grad_output(std::move(grad_output).keep());
        return passed;
    }
    StatePtr state_;
};

} // namespace

intrusive_ptr<HookGate> new_output_gate(const StatePtr& state) {
    return intrusive_ptr<HookGate>(new OutputGate(state));
}

} // namespace reel::nn::detail
