// The seam of fused optimizer steps: one kernel for each rule, which a device's library sets for its device.
#pragma once

#include <functional>

#include <reel/autograd/detail/dense_update.hpp>
#include <reel/autograd/detail/outer_product.hpp>
#include <reel/autograd/kernel.hpp>

namespace reel::optim {

/// The memory of one step: parameter, gradient (only read) and states, all in the same dense order.
struct StepOperands {
    static constexpr int most = reel::detail::DenseUpdate::most_operands;
    ScalarType dtype;   ///< of every element: floating
    std::int64_t count; ///< elements of each operand
    int size;           ///< operands
    char* const* data;  ///< on the parameter's device
    /// Stands for the gradient, whose pointer is null then. On the CPU, for float32 and float64 alone.
    const reel::detail::OuterProduct* gradient = nullptr;
};

/// What steps by `Rule`: set for the CPU when this library is loaded, by a device's library for its device. `param` is
/// the parameter whose memory `operands` opens.
template <class Rule>
inline constinit Kernel<void(const Tensor& param, const Rule& rule, const StepOperands& operands)> step_kernel{
    "optimizer_step"};

/// The step of one parameter among several.
template <class Rule> struct BatchedStep {
    const Rule* rule;
    StepOperands operands;
};
/// Queues other numbers for the rules of a batch whose launch was captured: one for each of its steps.
template <class Rule> using RuleWriter = std::function<void(ArrayRef<Rule>)>;
/// Steps many parameters of one dtype and device at once; `where` is one of them. Null where parameters are stepped one
/// by one. Where `found_inf` (one element of float32; may be undefined) is not 0 when the device gets there, nothing is
/// stepped. In a capture it returns who writes the rules that replays read, else nothing.
template <class Rule>
inline constinit Kernel<RuleWriter<Rule>(const Tensor& where, ArrayRef<BatchedStep<Rule>> steps,
                                         const Tensor& found_inf)>
    batched_step_kernel{"optimizer_step"};

} // namespace reel::optim
