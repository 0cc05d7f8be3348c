// What the arithmetic of an optimizer is: a rule for one element, instantiated for vectors, single numbers and CUDA.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

/// The rules, one file per kind of optimizer. A rule gets x[0] = parameter, x[1] = gradient and its `states` numbers of
/// state from x[2] on; it overwrites all but the gradient. File `steps/NAME.hpp` ends with the list `NAME_steps` of its
/// rules, of which the build makes the kernels.
namespace reel::optim::steps {

using pointwise::constant;
using pointwise::op_list;
using namespace reel::math;

/// What every step does to a gradient first.
struct StepRule {
    double lr = 0, weight_decay = 0; ///< weight_decay is added to the gradient (L2)
    double shrink = 1; ///< the parameter is multiplied by this first (decoupled decay: 1 - lr * weight_decay)
    bool maximize = false;

protected:
    template <class T> REEL_HD T begin(T* x) const {
        T g = x[1];
        if (maximize) g = -g;
        if (shrink != 1) x[0] = x[0] * constant<T>(shrink);
        if (weight_decay != 0) g = g + x[0] * constant<T>(weight_decay);
        return g;
    }
    template <class T> REEL_HD static T lerp(T a, T b, double weight) { return a + (b - a) * constant<T>(weight); }
};

} // namespace reel::optim::steps
