// Adam with decoupled weight decay.
#pragma once

#include <reel/optim/adam.hpp>

namespace reel::optim {

class AdamWOptions : public OptimizerCloneableOptions<AdamWOptions> {
public:
    using betas_t = std::tuple<double, double>;
    AdamWOptions() = default;
    AdamWOptions(double lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(double, lr) = 1e-3;
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION(double, eps) = 1e-8;
    REEL_OPTION(double, weight_decay) = 1e-2;
    REEL_OPTION(bool, amsgrad) = false;
    REEL_OPTION(bool, maximize) = false;
};
using AdamWParamState = AdamParamState;

/// I. Loshchilov, F. Hutter: Decoupled Weight Decay Regularization, 2019.
class AdamW : public Optimizer {
public:
    static constexpr const char* class_name = "AdamW";
    explicit AdamW(std::vector<OptimizerParamGroup> groups, AdamWOptions defaults = {});
    explicit AdamW(std::vector<Tensor> params, AdamWOptions defaults = {});

protected:
    void update(OptimizerParamGroup& group) override;
    std::unique_ptr<OptimizerParamState> make_state() const override;
};

extern template class OptimizerCloneableOptions<AdamWOptions>;

} // namespace reel::optim
