// The arithmetic of Rprop.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// The size of each step grows while the gradient keeps its sign and shrinks when it turns; only signs move p.
struct rprop_step : StepRule {
    static constexpr int states = 2; // previous gradient, step size
    double eta_minus = 0, eta_plus = 0, step_min = 0, step_max = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T zero = constant<T>(0), g0 = begin(x), turn = g0 * x[2];
        const T factor =
            where(turn > zero, constant<T>(eta_plus), where(turn < zero, constant<T>(eta_minus), constant<T>(1)));
        x[3] = minimum(maximum(x[3] * factor, constant<T>(step_min)), constant<T>(step_max));
        const T g = where(turn < zero, zero, g0);
        x[0] = x[0] - where(g > zero, x[3], where(g < zero, -x[3], zero));
        x[2] = g;
    }
};

using rprop_steps = op_list<rprop_step>;

} // namespace reel::optim::steps
