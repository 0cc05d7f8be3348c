// The arithmetic of RAdam.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// m and v as in Adam;  p -= step_size m (rectified: / (sqrt(v) + eps))
struct radam_step : StepRule {
    static constexpr int states = 2;
    double beta1 = 0, beta2 = 0, eps = 0, step_size = 0;
    bool rectified = false;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = lerp(x[2], g, 1 - beta1);
        x[3] = x[3] * constant<T>(beta2) + g * constant<T>(1 - beta2) * g;
        const T move = x[2] * constant<T>(step_size);
        x[0] = x[0] - (rectified ? move / (sqrt(x[3]) + constant<T>(eps)) : move);
    }
};

using radam_steps = op_list<radam_step>;

} // namespace reel::optim::steps
