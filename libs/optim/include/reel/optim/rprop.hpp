// Resilient backpropagation.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of Rprop, with PyTorch's names and defaults.
class RpropOptions : public OptimizerCloneableOptions<RpropOptions> {
public:
    using pair_t = std::tuple<double, double>;
    RpropOptions() = default;
    RpropOptions(double lr) { this->lr(lr); }
    RpropOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-2);
    REEL_OPTION(pair_t, etas) = pair_t(0.5, 1.2);
    REEL_OPTION(pair_t, step_sizes) = pair_t(1e-6, 50);
    REEL_OPTION(bool, maximize) = false;
};
/// What Rprop remembers of one parameter.
class RpropParamState : public OptimizerCloneableParamState<RpropParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, prev);
    REEL_STATE(Tensor, step_size);
};

/// Moves each element by its own step size, which grows by etas[1] while the gradient keeps its sign and shrinks by
/// etas[0] when it turns. M. Riedmiller, H. Braun, 1993.
class Rprop : public OptimizerOf<RpropOptions, RpropParamState> {
public:
    static constexpr const char* class_name = "Rprop";
    using OptimizerOf::OptimizerOf;
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, RpropParamState& s, const RpropOptions& o) override;
};

} // namespace reel::optim
