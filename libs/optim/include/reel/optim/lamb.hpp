// LAMB: Adam whose step is as long as the layer's weights.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of Lamb, with timm's names and defaults. The paper's clipping by the norm of all gradients together is
/// `nn::utils::clip_grad_norm_` before the step.
class LambOptions : public OptimizerCloneableOptions<LambOptions> {
public:
    using betas_t = std::tuple<double, double>;
    LambOptions() = default;
    LambOptions(double lr) { this->lr(lr); }
    LambOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-3);
    REEL_OPTION(bool, bias_correction) = true;
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION(double, eps) = 1e-6;
    REEL_OPTION(double, weight_decay) = 0.01;
    REEL_OPTION(bool, grad_averaging) = true;
    REEL_OPTION(bool, trust_clip) = false;
    REEL_OPTION(bool, always_adapt) = false;
    REEL_OPTION(bool, maximize) = false;
};
/// What Lamb remembers of one parameter.
class LambParamState : public OptimizerCloneableParamState<LambParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, exp_avg);
    REEL_STATE(Tensor, exp_avg_sq);
};

/// m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;  u = m' / (sqrt(v') + eps) + weight_decay p with m' and
/// v' freed of their bias;  p -= lr |p| / |u| u, where the norms are the whole parameter's. Without `grad_averaging` m
/// takes all of g. The ratio is 1 where one of the norms is 0, at most 1 with `trust_clip`, and left out for groups
/// without weight decay unless `always_adapt`. Y. You et al., Large Batch Optimization for Deep Learning, 2020.
class Lamb : public OptimizerOf<LambOptions, LambParamState> {
public:
    static constexpr const char* class_name = "Lamb";
    using OptimizerOf::OptimizerOf;
    bool is_elementwise() const override { return false; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, LambParamState& s, const LambOptions& o) override;
};

} // namespace reel::optim
