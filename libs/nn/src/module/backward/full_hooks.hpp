// The three moments at which full backward hooks run: at the input gate, at the output gate where no input requires
// grad, and after the parameters have their gradients.
#pragma once

#include "module/backward/gradients.hpp"

namespace reel::nn::detail {

/// At the input gate (B-11): what they return replaces `grad_input`.
template <class Gradients>
void run_full_hooks(const BackwardState& state, const BackwardHooks& hooks, Gradients& grad_input,
                    const Gradients& grad_output);
/// At the output gate (B-14): there is no gradient that they could replace.
template <class Gradients>
void run_full_hooks_at_output(const BackwardState& state, const BackwardHooks& hooks, const Gradients& grad_input,
                              const Gradients& grad_output);
/// Once the parameters have their gradients, those that asked for it: they see what the pass went on with.
template <class Gradients>
void run_late_full_hooks(const StatePtr& state, const BackwardState::LiveHooks& live, const Gradients& grad_input,
                         const Gradients& grad_output);

} // namespace reel::nn::detail
