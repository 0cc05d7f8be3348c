// The arithmetic of Adamax.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// m = lerp(m, g, 1 - beta1);  u = max(beta2 u, |g| + eps);  p -= step_size m / u
struct adamax_step : StepRule {
    static constexpr int states = 2;
    double beta1 = 0, beta2 = 0, eps = 0, step_size = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = lerp(x[2], g, 1 - beta1);
        x[3] = maximum(x[3] * constant<T>(beta2), abs(g) + constant<T>(eps));
        x[0] = x[0] - x[2] * constant<T>(step_size) / x[3];
    }
};

using adamax_steps = op_list<adamax_step>;

} // namespace reel::optim::steps
