// One round of full hooks, and what each of the three moments does with what they return.
#include "module/backward/full_hooks.hpp"

#include <reel/autograd/hooks.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/fire.hpp"

namespace reel::nn::detail {

using autograd::HookKind;

namespace {
enum class Moment : std::uint8_t { InThePass, AfterParameterGrads };

/// `observed` is what observers hear that the hooks see; `take` gets what comes back from one, if anything.
template <class Gradients, class Take, class Show>
void run_round(Moment moment, const BackwardState& s, const BackwardHooks& hooks, const Gradients& grad_input,
               const Gradients& grad_output, const Gradients& observed, Take take, Show show) {
    for_each_hook(hooks.full_global, hooks.full_local, [&](const auto& record) {
        if (record.fn.after_parameter_grads != (moment == Moment::AfterParameterGrads)) return;
        auto returned = fire(
            {HookKind::FullBackward, record.id, s.module}, [&] { return observed.tensors(); },
            [&] { return grad_input.shown_to(record.fn, grad_output); }, show);
        if (is_given(returned)) take(std::move(returned));
    });
}
/// Where nothing can be replaced, observers hear of no gradients.
constexpr auto show_no_gradients = [](const auto& returned) {
    return is_given(returned) ? std::optional(variable_list()) : std::nullopt;
};

void warn_at_output(const BackwardState& s, const BackwardHooks& hooks) {
    bool early = false; // what waits for the parameters' gradients misses nothing
    for_each_hook(hooks.full_global, hooks.full_local,
                  [&](const auto& record) { early |= !record.fn.after_parameter_grads; });
    if (early)
        REEL_WARN_ONCE(
            "full backward hook on ", s.module->name(),
            " fires when the gradient of its outputs is known, before the module is differentiated, because no "
            "input requires grad; make an input require grad to see grad_input");
}
} // namespace

template <class Gradients>
void run_full_hooks(const BackwardState& s, const BackwardHooks& hooks, Gradients& grad_input,
                    const Gradients& grad_output) {
    run_round(
        Moment::InThePass, s, hooks, grad_input, grad_output, grad_input,
        [&](auto returned) { grad_input.replace(std::move(returned)); },
        [&](const auto& returned) { return grad_input.returned(returned); });
}

template <class Gradients>
void run_full_hooks_at_output(const BackwardState& s, const BackwardHooks& hooks, const Gradients& grad_input,
                              const Gradients& grad_output) {
    warn_at_output(s, hooks);
    run_round(
        Moment::InThePass, s, hooks, grad_input, grad_output, grad_output,
        [&](const auto& returned) {
            REEL_CHECK(Gradients::holds_nothing(returned), s.module->name(), ": full backward hook returned ",
                       Gradients::as_value(returned).repr(),
                       ", but no input of the module requires grad, so there is no gradient to replace; return none");
        },
        show_no_gradients);
}

template <class Gradients>
void run_late_full_hooks(const StatePtr& state, const BackwardState::LiveHooks& live, const Gradients& grad_input,
                         const Gradients& grad_output) {
    if (!state->has_late_hooks()) return;
    autograd::after_accumulation(state->module->parameters(), [state, live, grad_input, grad_output] {
        run_round(
            Moment::AfterParameterGrads, *state, live.hooks, grad_input, grad_output, grad_input,
            [&](const auto&) {
                REEL_THROW(Error, state->module->name(),
                           ": a full backward hook with after_parameter_grads returned gradients, but those were "
                           "passed on before it ran; return nothing, or register it without that option");
            },
            show_no_gradients);
    });
}

template void run_full_hooks(const BackwardState&, const BackwardHooks&, ValueGradients&, const ValueGradients&);
template void run_full_hooks(const BackwardState&, const BackwardHooks&, TensorGradients&, const TensorGradients&);
template void run_full_hooks_at_output(const BackwardState&, const BackwardHooks&, const ValueGradients&,
                                       const ValueGradients&);
template void run_full_hooks_at_output(const BackwardState&, const BackwardHooks&, const TensorGradients&,
                                       const TensorGradients&);
template void run_late_full_hooks(const StatePtr&, const BackwardState::LiveHooks&, const ValueGradients&,
                                  const ValueGradients&);
template void run_late_full_hooks(const StatePtr&, const BackwardState::LiveHooks&, const TensorGradients&,
                                  const TensorGradients&);

} // namespace reel::nn::detail
