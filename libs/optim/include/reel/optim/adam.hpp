// Adam, with weight decay added to the gradient; see adamw.hpp for the decoupled kind.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// The options of Adam and AdamW; `Self` is the one or the other, so that setters can be chained.
template <class Self> class AdamOptionsOf : public OptimizerCloneableOptions<Self> {
public:
    using betas_t = std::tuple<double, double>;
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION_OF(Self, Rate, lr) = Rate(1e-3);
    REEL_OPTION_OF(Self, betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION_OF(Self, double, eps) = 1e-8;
    REEL_OPTION_OF(Self, double, weight_decay) = 0;
    REEL_OPTION_OF(Self, bool, amsgrad) = false;
    REEL_OPTION_OF(Self, bool, maximize) = false;

protected:
    /// The last field of both: is the decay decoupled?
    virtual void decoupling(FieldVisitor& v) = 0;
};

/// Options of Adam, with PyTorch's names and defaults.
class AdamOptions : public AdamOptionsOf<AdamOptions> {
public:
    static constexpr const char* optimizer_name = "Adam";
    AdamOptions() = default;
    AdamOptions(double lr) { this->lr(lr); }
    AdamOptions(const Tensor& lr) { this->lr(lr); }
    /// Multiplies the parameter by 1 - lr * weight_decay instead of adding to the gradient.
    REEL_OPTION(bool, decoupled_weight_decay) = false;

protected:
    void decoupling(FieldVisitor& v) override;
};
/// What Adam and AdamW remember of one parameter.
class AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, exp_avg);
    REEL_STATE(Tensor, exp_avg_sq);
    REEL_STATE(Tensor, max_exp_avg_sq);
};

/// D. P. Kingma, J. Ba: Adam, 2015; `amsgrad` as in S. J. Reddi et al., 2018. One pass over memory per parameter.
class Adam : public OptimizerOf<AdamOptions, AdamParamState> {
public:
    static constexpr const char* class_name = "Adam";
    using OptimizerOf::OptimizerOf;
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, AdamParamState& s, const AdamOptions& o) override;
};

extern template class AdamOptionsOf<AdamOptions>;

} // namespace reel::optim
