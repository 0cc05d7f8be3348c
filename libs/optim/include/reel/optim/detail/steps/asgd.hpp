// The arithmetic of ASGD.
#pragma once

#include <reel/optim/detail/step_rule.hpp>

namespace reel::optim::steps {

/// p = (1 - lambd eta) p - eta g;  a = mu == 1 ? p : a + mu (p - a)
struct asgd_step : StepRule {
    static constexpr int states = 1;
    double decay = 1, eta = 0, mu = 1;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[0] = x[0] * constant<T>(decay) - g * constant<T>(eta);
        x[2] = mu == 1 ? x[0] : x[2] + (x[0] - x[2]) * constant<T>(mu);
    }
};

using asgd_steps = op_list<asgd_step>;

} // namespace reel::optim::steps
