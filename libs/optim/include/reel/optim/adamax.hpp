// Adamax: Adam with the infinity norm.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of Adamax, with PyTorch's names and defaults.
class AdamaxOptions : public OptimizerCloneableOptions<AdamaxOptions> {
public:
    using betas_t = std::tuple<double, double>;
    AdamaxOptions() = default;
    AdamaxOptions(double lr) { this->lr(lr); }
    AdamaxOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(2e-3);
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION(double, eps) = 1e-8;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(bool, maximize) = false;
};
/// What Adamax remembers of one parameter.
class AdamaxParamState : public OptimizerCloneableParamState<AdamaxParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, exp_avg);
    REEL_STATE(Tensor, exp_inf);
};

/// m = lerp(m, g, 1 - beta1);  u = max(beta2 u, |g| + eps);  p -= lr / (1 - beta1^t) m / u. D. P. Kingma, J. Ba, 2015.
class Adamax : public OptimizerOf<AdamaxOptions, AdamaxParamState> {
public:
    static constexpr const char* class_name = "Adamax";
    using OptimizerOf::OptimizerOf;
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, AdamaxParamState& s, const AdamaxOptions& o) override;
};

} // namespace reel::optim
