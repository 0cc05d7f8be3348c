// RAdam: Adam with a rectified start.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of RAdam, with PyTorch's names and defaults.
class RAdamOptions : public OptimizerCloneableOptions<RAdamOptions> {
public:
    using betas_t = std::tuple<double, double>;
    RAdamOptions() = default;
    RAdamOptions(double lr) { this->lr(lr); }
    RAdamOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-3);
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION(double, eps) = 1e-8;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(bool, decoupled_weight_decay) = false;
    REEL_OPTION(bool, maximize) = false;
};
/// What RAdam remembers of one parameter.
class RAdamParamState : public OptimizerCloneableParamState<RAdamParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, exp_avg);
    REEL_STATE(Tensor, exp_avg_sq);
};

/// Adam that moves by the bare mean while the variance of its adaptive rate is too large, and by a rectified rate
/// later. L. Liu et al., 2020.
class RAdam : public OptimizerOf<RAdamOptions, RAdamParamState> {
public:
    static constexpr const char* class_name = "RAdam";
    using OptimizerOf::OptimizerOf;
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, RAdamParamState& s, const RAdamOptions& o) override;
};

} // namespace reel::optim
