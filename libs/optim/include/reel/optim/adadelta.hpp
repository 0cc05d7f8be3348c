// Adadelta.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of Adadelta, with PyTorch's names and defaults.
class AdadeltaOptions : public OptimizerCloneableOptions<AdadeltaOptions> {
public:
    AdadeltaOptions() = default;
    AdadeltaOptions(double lr) { this->lr(lr); }
    AdadeltaOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1);
    REEL_OPTION(double, rho) = 0.9;
    REEL_OPTION(double, eps) = 1e-6;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(bool, maximize) = false;
};
/// What Adadelta remembers of one parameter.
class AdadeltaParamState : public OptimizerCloneableParamState<AdadeltaParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, square_avg);
    REEL_STATE(Tensor, acc_delta);
};

/// v = rho v + (1 - rho) g^2;  d = sqrt(a + eps) / sqrt(v + eps) g;  a = rho a + (1 - rho) d^2;  p -= lr d.
/// M. D. Zeiler, 2012.
class Adadelta : public OptimizerOf<AdadeltaOptions, AdadeltaParamState> {
public:
    static constexpr const char* class_name = "Adadelta";
    using OptimizerOf::OptimizerOf;
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, AdadeltaParamState& s, const AdadeltaOptions& o) override;
};

} // namespace reel::optim
