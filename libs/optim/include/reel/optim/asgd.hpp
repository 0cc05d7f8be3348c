// Averaged stochastic gradient descent.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of ASGD, with PyTorch's names and defaults.
class ASGDOptions : public OptimizerCloneableOptions<ASGDOptions> {
public:
    ASGDOptions() = default;
    ASGDOptions(double lr) { this->lr(lr); }
    ASGDOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-2);
    REEL_OPTION(double, lambd) = 1e-4;
    REEL_OPTION(double, alpha) = 0.75;
    REEL_OPTION(double, t0) = 1e6;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(bool, maximize) = false;
};
/// What ASGD remembers of one parameter.
class ASGDParamState : public OptimizerCloneableParamState<ASGDParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(StepNumber, eta);
    REEL_STATE(StepNumber, mu);
    REEL_STATE(Tensor, ax);
};

/// p = (1 - lambd eta) p - eta g with a falling eta, and a running average of p from step t0 on, kept in the state as
/// `ax`. B. T. Polyak, A. B. Juditsky, 1992.
class ASGD : public OptimizerOf<ASGDOptions, ASGDParamState> {
public:
    static constexpr const char* class_name = "ASGD";
    using OptimizerOf::OptimizerOf;
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, ASGDParamState& s, const ASGDOptions& o) override;
};

} // namespace reel::optim
