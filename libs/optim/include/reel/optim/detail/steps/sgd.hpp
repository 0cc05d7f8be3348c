// The arithmetic of SGD.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// p -= lr g
struct sgd_step : StepRule {
    static constexpr int states = 0;
    template <class T> REEL_HD void operator()(T* x) const { x[0] = x[0] - begin(x) * constant<T>(lr); }
};

/// b = momentum b + (1 - dampening) g (the first time b = g);  p -= lr (nesterov ? g + momentum b : b)
struct sgd_momentum_step : StepRule {
    static constexpr int states = 1;
    double momentum = 0, dampening = 0;
    bool nesterov = false, first = false;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = first ? g : x[2] * constant<T>(momentum) + g * constant<T>(1 - dampening);
        x[0] = x[0] - (nesterov ? g + x[2] * constant<T>(momentum) : x[2]) * constant<T>(lr);
    }
};

using sgd_steps = op_list<sgd_step, sgd_momentum_step>;

} // namespace reel::optim::steps
