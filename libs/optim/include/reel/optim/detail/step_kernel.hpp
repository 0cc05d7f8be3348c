// The seam of fused optimizer steps: one kernel for each rule, which a device's library sets for its device.
#pragma once

#include <reel/autograd/detail/dense_update.hpp>
#include <reel/autograd/device.hpp>

namespace reel::optim {

/// The memory of one step: parameter, gradient (only read) and states, all in the same dense order.
struct StepOperands {
    static constexpr int most = reel::detail::DenseUpdate::most_operands;
    ScalarType dtype;   ///< of every element: floating
    std::int64_t count; ///< elements of each operand
    int size;           ///< operands
    char* const* data;  ///< on the parameter's device
};

/// The functions that step by `Rule`, one for each kind of device; set when a library is loaded. `param` is the
/// parameter whose memory `operands` opens.
template <class Rule> class StepKernel {
public:
    using Function = void(const Tensor& param, const Rule& rule, const StepOperands& operands);
    bool has(DeviceType d) const { return functions_[int(d)]; }
    void set(DeviceType d, Function* function) noexcept { functions_[int(d)] = function; }
    void operator()(const Tensor& param, const Rule& rule, const StepOperands& operands) const {
        functions_[int(param.device().type())](param, rule, operands);
    }

private:
    Function* functions_[3] = {};
};
template <class Rule> inline constinit StepKernel<Rule> step_kernel;

} // namespace reel::optim
