// Adam, with weight decay added to the gradient; see adamw.hpp for the decoupled kind.
#pragma once

#include <reel/optim/optimizer.hpp>

namespace reel::optim {

class AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
public:
    using betas_t = std::tuple<double, double>;
    AdamOptions() = default;
    AdamOptions(double lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(double, lr) = 1e-3;
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION(double, eps) = 1e-8;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(bool, amsgrad) = false;
    REEL_OPTION(bool, maximize) = false;
    /// Multiplies the parameter by 1 - lr * weight_decay instead of adding to the gradient.
    REEL_OPTION(bool, decoupled_weight_decay) = false;
};
class AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, exp_avg);
    REEL_STATE(Tensor, exp_avg_sq);
    REEL_STATE(Tensor, max_exp_avg_sq);
};

/// D. P. Kingma, J. Ba: Adam, 2015; `amsgrad` as in S. J. Reddi et al., 2018. One pass over memory per parameter.
class Adam : public Optimizer {
public:
    static constexpr const char* class_name = "Adam";
    explicit Adam(std::vector<OptimizerParamGroup> groups, AdamOptions defaults = {});
    explicit Adam(std::vector<Tensor> params, AdamOptions defaults = {});

protected:
    void update(OptimizerParamGroup& group) override;
    std::unique_ptr<OptimizerParamState> make_state() const override;
};

extern template class OptimizerCloneableOptions<AdamOptions>;
extern template class OptimizerCloneableParamState<AdamParamState>;

} // namespace reel::optim
