// The arithmetic of Adadelta.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// v = rho v + (1 - rho) g^2;  d = sqrt(a + eps) / sqrt(v + eps) g;  a = rho a + (1 - rho) d^2;  p -= lr d
struct adadelta_step : StepRule {
    static constexpr int states = 2;
    double rho = 0, eps = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = x[2] * constant<T>(rho) + g * constant<T>(1 - rho) * g;
        const T delta = sqrt(x[3] + constant<T>(eps)) / sqrt(x[2] + constant<T>(eps)) * g;
        x[3] = x[3] * constant<T>(rho) + delta * delta * constant<T>(1 - rho);
        x[0] = x[0] - delta * constant<T>(lr);
    }
};

using adadelta_steps = op_list<adadelta_step>;

} // namespace reel::optim::steps
