// The arithmetic of Adam and AdamW.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// m = lerp(m, g, 1 - beta1);  v = beta2 v + (1 - beta2) g^2;  p -= step_size m / (sqrt(v) * scale + eps)
/// with step_size = lr / (1 - beta1^t) and scale = 1 / sqrt(1 - beta2^t). With `amsgrad` the largest v so far is used.
template <bool amsgrad> struct adam_step : StepRule {
    static constexpr int states = amsgrad ? 3 : 2;
    double beta1 = 0, beta2 = 0, eps = 0, step_size = 0, scale = 1;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = lerp(x[2], g, 1 - beta1);
        // in this order, as PyTorch has it, the square of a tiny gradient does not underflow where it is added on its
        // way
        x[3] = x[3] * constant<T>(beta2) + g * constant<T>(1 - beta2) * g;
        if constexpr (amsgrad) x[4] = maximum(x[4], x[3]);
        const T denom = sqrt(amsgrad ? x[4] : x[3]) * constant<T>(scale) + constant<T>(eps);
        x[0] = x[0] - x[2] * constant<T>(step_size) / denom;
    }
};

using adam_steps = op_list<adam_step<false>, adam_step<true>>;

} // namespace reel::optim::steps
