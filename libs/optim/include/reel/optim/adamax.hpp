// Adamax: Adam with the infinity norm.
#pragma once

#include <reel/optim/optimizer.hpp>

namespace reel::optim {

class AdamaxOptions : public OptimizerCloneableOptions<AdamaxOptions> {
public:
    using betas_t = std::tuple<double, double>;
    AdamaxOptions() = default;
    AdamaxOptions(double lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(double, lr) = 2e-3;
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION(double, eps) = 1e-8;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(bool, maximize) = false;
};
class AdamaxParamState : public OptimizerCloneableParamState<AdamaxParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, exp_avg);
    REEL_STATE(Tensor, exp_inf);
};

/// m = lerp(m, g, 1 - beta1);  u = max(beta2 u, |g| + eps);  p -= lr / (1 - beta1^t) m / u. D. P. Kingma, J. Ba, 2015.
class Adamax : public Optimizer {
public:
    static constexpr const char* class_name = "Adamax";
    explicit Adamax(std::vector<OptimizerParamGroup> groups, AdamaxOptions defaults = {});
    explicit Adamax(std::vector<Tensor> params, AdamaxOptions defaults = {});

protected:
    void update(OptimizerParamGroup& group) override;
    std::unique_ptr<OptimizerParamState> make_state() const override;
};

extern template class OptimizerCloneableOptions<AdamaxOptions>;
extern template class OptimizerCloneableParamState<AdamaxParamState>;

} // namespace reel::optim
