// Fused optimizer steps: parameter, gradient and state in one pass over memory.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include <reel/optim/detail/step_kernel.hpp>

namespace reel::optim {

namespace detail {
/// Checks the operands (parameter, gradient, states), lays them open and calls `run(rule, param, operands)`.
using RunStep = void (*)(const void* rule, const Tensor& param, const StepOperands& operands);
void apply_step(const char* optimizer, ArrayRef<const Tensor*> operands, bool has_kernel, RunStep run,
                const void* rule);
/// Checks the operands and lays them open, the gradient as it is kept if `takes_deferred`; null where a pin has the
/// parameter passed over.
std::unique_ptr<reel::detail::DenseUpdate> open_step(const char* optimizer, ArrayRef<const Tensor*> operands,
                                                     bool has_kernel, bool takes_deferred = false);
} // namespace detail

/// Applies one rule of detail/steps/ to `param`, reading `grad` and updating `state` (as many tensors as the rule has,
/// of the parameter's shape, dtype and device), by the kernel of the parameter's device. On the CPU: vectorised, over
/// threads, the same bits for any number of them. Complex parameters are stepped as pairs of real numbers. Records
/// nothing; versions are bumped. `optimizer` is named in messages.
/// Errors: Error when a shape, dtype or device differs from the parameter's; NotImplementedError when there is no
/// kernel for the parameter's device or dtype.
template <class Rule>
void apply_step(const char* optimizer, const Rule& rule, const Tensor& param, const Tensor& grad,
                std::initializer_list<std::reference_wrapper<const Tensor>> state) {
    static_assert(2 + Rule::states <= StepOperands::most);
    REEL_INTERNAL_ASSERT(int(state.size()) == Rule::states, optimizer);
    const Tensor* operands[2 + Rule::states] = {&param, &grad};
    int n = 2;
    for (const Tensor& t : state) operands[n++] = &t;
    detail::apply_step(
        optimizer, ArrayRef<const Tensor*>(operands, std::size_t(n)), step_kernel<Rule>.has(param.device().type()),
        [](const void* r, const Tensor& p, const StepOperands& o) {
            step_kernel<Rule>(p, *static_cast<const Rule*>(r), o);
        },
        &rule);
}

} // namespace reel::optim
