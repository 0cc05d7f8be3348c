// The arithmetic of RMSprop.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// v = alpha v + (1 - alpha) g^2;  d = sqrt(v [- a^2]) + eps;  p -= lr g / d, or by a momentum buffer of g / d
template <bool centered, bool momentum_buffer> struct rmsprop_step : StepRule {
    static constexpr int states = 1 + centered + momentum_buffer;
    double alpha = 0, eps = 0, momentum = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = x[2] * constant<T>(alpha) + g * constant<T>(1 - alpha) * g;
        T v = x[2];
        if constexpr (centered) {
            x[3] = lerp(x[3], g, 1 - alpha);
            v = v - x[3] * x[3];
        }
        const T move = g / (sqrt(v) + constant<T>(eps));
        if constexpr (momentum_buffer) {
            T& b = x[3 + centered];
            b = b * constant<T>(momentum) + move;
            x[0] = x[0] - b * constant<T>(lr);
        } else x[0] = x[0] - move * constant<T>(lr);
    }
};

using rmsprop_steps =
    op_list<rmsprop_step<false, false>, rmsprop_step<false, true>, rmsprop_step<true, false>, rmsprop_step<true, true>>;

} // namespace reel::optim::steps
