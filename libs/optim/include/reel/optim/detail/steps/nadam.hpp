// The arithmetic of NAdam.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// m and v as in Adam;  p -= grad_size g / d + avg_size m / d,  d = sqrt(v) * scale + eps
struct nadam_step : StepRule {
    static constexpr int states = 2;
    double beta1 = 0, beta2 = 0, eps = 0, grad_size = 0, avg_size = 0, scale = 1;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = lerp(x[2], g, 1 - beta1);
        x[3] = x[3] * constant<T>(beta2) + g * constant<T>(1 - beta2) * g;
        const T denom = sqrt(x[3]) * constant<T>(scale) + constant<T>(eps);
        x[0] = x[0] - (g * constant<T>(grad_size) + x[2] * constant<T>(avg_size)) / denom;
    }
};

using nadam_steps = op_list<nadam_step>;

} // namespace reel::optim::steps
