// RMSprop.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of RMSprop, with PyTorch's names and defaults.
class RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
public:
    RMSpropOptions() = default;
    RMSpropOptions(double lr) { this->lr(lr); }
    RMSpropOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-2);
    REEL_OPTION(double, alpha) = 0.99;
    REEL_OPTION(double, eps) = 1e-8;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(double, momentum) = 0;
    REEL_OPTION(bool, centered) = false;
    REEL_OPTION(bool, maximize) = false;
};
/// What RMSprop remembers of one parameter.
class RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, square_avg);
    REEL_STATE(Tensor, momentum_buffer);
    REEL_STATE(Tensor, grad_avg);
};

/// v = alpha v + (1 - alpha) g^2;  p -= lr g / (sqrt(v) + eps). `centered` subtracts the squared mean gradient from v;
/// `momentum` moves by a buffer of these quotients. T. Tieleman, G. Hinton, 2012.
class RMSprop : public OptimizerOf<RMSpropOptions, RMSpropParamState> {
public:
    static constexpr const char* class_name = "RMSprop";
    using OptimizerOf::OptimizerOf;
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, RMSpropParamState& s, const RMSpropOptions& o) override;
};

} // namespace reel::optim
