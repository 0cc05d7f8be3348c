// NAdam: Adam with Nesterov momentum.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of NAdam, with PyTorch's names and defaults.
class NAdamOptions : public OptimizerCloneableOptions<NAdamOptions> {
public:
    using betas_t = std::tuple<double, double>;
    NAdamOptions() = default;
    NAdamOptions(double lr) { this->lr(lr); }
    NAdamOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(2e-3);
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION(double, eps) = 1e-8;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(double, momentum_decay) = 4e-3;
    REEL_OPTION(bool, decoupled_weight_decay) = false;
    REEL_OPTION(bool, maximize) = false;
};
/// What NAdam remembers of one parameter.
class NAdamParamState : public OptimizerCloneableParamState<NAdamParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(StepNumber, mu_product);
    REEL_STATE(Tensor, exp_avg);
    REEL_STATE(Tensor, exp_avg_sq);
};

/// Adam whose mean is looked ahead along a momentum schedule that warms up with `momentum_decay`. T. Dozat, 2016.
class NAdam : public OptimizerOf<NAdamOptions, NAdamParamState> {
public:
    static constexpr const char* class_name = "NAdam";
    using OptimizerOf::OptimizerOf;
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, NAdamParamState& s, const NAdamOptions& o) override;
};

} // namespace reel::optim
