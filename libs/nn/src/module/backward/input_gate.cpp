// N of B-2: once the gradients of a call's inputs are known, its full hooks run.
#include "module/backward/new_gates.hpp"

#include <reel/nn/module.hpp>

#include "module/backward/full_hooks.hpp"

namespace reel::nn::detail {

using autograd::GradList;

namespace {

class InputGate final : public HookGate {
public:
    explicit InputGate(StatePtr state) : state_(std::move(state)) {}
    ~InputGate() override { state_->input_gate = nullptr; }
    GradList apply(GradList&& arrived) override {
        GradList passed = filled(std::move(arrived));
        auto grad_output = state_->take_grad_output();
        if (!grad_output) return passed; // B-11.1, B-31, B-32
        const auto live = state_->lock();
        if (!live) return passed;
        try {
            if (state_->tensors_suffice()) run_hooks<TensorGradients>(passed, std::move(*grad_output), *live);
            else run_hooks<ValueGradients>(passed, std::move(*grad_output), *live);
        } catch (...) {
            state_->weaken();
            throw;
        }
        return passed;
    }
    void release_variables() override { state_->weaken(); }

private:
    /// B-11.
    template <class Gradients>
    void run_hooks(GradList& passed, KeptGradients&& kept, const BackwardState::LiveHooks& live) {
        const Gradients grad_output(*state_, End::Output, std::move(kept));
        Gradients grad_input(*state_, End::Input, std::as_const(passed));
        run_full_hooks(*state_, live.hooks, grad_input, grad_output);
        if (grad_input.changed()) grad_input.put_into(passed);
        run_late_full_hooks(state_, live, grad_input, grad_output);
    }
    StatePtr state_;
};

} // namespace

intrusive_ptr<HookGate> new_input_gate(const StatePtr& state) { return intrusive_ptr<HookGate>(new InputGate(state)); }

} // namespace reel::nn::detail
