// What every fused step takes from the options of its optimizer.
#pragma once

#include <reel/optim/detail/step.hpp>
#include <reel/optim/detail/step_rule.hpp>

#include "recorded_step.hpp"
#include "step_batch.hpp"

namespace reel::optim {

/// Rate, direction and weight decay, coupled or not, of options that have them.
template <class Options> steps::StepRule step_base(const Options& o) {
    steps::StepRule rule;
    rule.lr = o.lr();
    rule.maximize = o.maximize();
    bool decoupled = false;
    if constexpr (requires { o.decoupled_weight_decay(); }) decoupled = o.decoupled_weight_decay();
    if constexpr (requires { o.weight_decay(); }) {
        if (decoupled) rule.shrink = 1 - o.lr() * o.weight_decay();
        else rule.weight_decay = o.weight_decay();
    }
    return rule;
}

/// A step of one of the library's optimizers, the last thing that it does with a parameter: recorded where the options
/// say `differentiable`, else fused, and together with others' where the device has a kernel for many.
template <class Rule>
void take_step(const char* optimizer, const Rule& rule, const Tensor& param, const Tensor& grad,
               std::initializer_list<std::reference_wrapper<const Tensor>> state) {
    if (detail::steps_are_recorded()) [[unlikely]]
        return detail::record_step(rule, param, grad, state);
    if (detail::StepBatch* const batch = detail::StepBatch::current())
        if (batched_step_kernel<Rule>.has(param.device().type()))
            return batch->add(optimizer, rule, param, grad, state);
    apply_step(optimizer, rule, param, grad, state);
}

} // namespace reel::optim
