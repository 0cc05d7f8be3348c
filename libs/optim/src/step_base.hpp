// What every fused step takes from the options of its optimizer.
#pragma once

#include <reel/optim/detail/step.hpp>
#include <reel/optim/detail/step_rule.hpp>

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

} // namespace reel::optim
