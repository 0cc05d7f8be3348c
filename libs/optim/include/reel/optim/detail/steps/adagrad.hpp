// The arithmetic of Adagrad.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// s += g^2;  p -= lr g / (sqrt(s) + eps)
struct adagrad_step : StepRule {
    static constexpr int states = 1;
    double eps = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = x[2] + g * g;
        x[0] = x[0] - g * constant<T>(lr) / (sqrt(x[2]) + constant<T>(eps));
    }
};

using adagrad_steps = op_list<adagrad_step>;

} // namespace reel::optim::steps
