// Fused optimizer steps: parameter, gradient and state in one pass over memory.
#pragma once

#include <initializer_list>

#include <reel/autograd/pointwise/optimizer_step.hpp>

namespace reel {

/// Applies one rule of pointwise/optimizer_step.hpp to `param`, reading `grad` and updating `state` (as many tensors as
/// the rule has, of the parameter's shape and dtype). Vectorised, over threads, the same bits for any number of them.
/// Complex parameters are stepped as pairs of real numbers. Records nothing; versions are bumped. Defined for the rules
/// in `pointwise::optimizer_steps`.
/// Errors: Error when a shape, dtype or device differs from the parameter's; NotImplementedError for other dtypes.
template <class Rule>
void apply_step(const char* optimizer, const Rule& rule, const Tensor& param, const Tensor& grad,
                std::initializer_list<std::reference_wrapper<const Tensor>> state);

} // namespace reel
