// Stochastic gradient descent.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// `nesterov` needs momentum above zero and no dampening.
class SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
public:
    SGDOptions() = default;
    SGDOptions(double lr) { this->lr(lr); }
    SGDOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-3);
    REEL_OPTION(double, momentum) = 0;
    REEL_OPTION(double, dampening) = 0;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(bool, nesterov) = false;
    REEL_OPTION(bool, maximize) = false;
};
/// What SGD remembers of one parameter.
class SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(Tensor, momentum_buffer);
};

/// Takes sparse gradients: without momentum only the rows that they name are touched, with momentum all of them;
/// weight_decay, which would touch all, is refused for them.
/// b = momentum b + (1 - dampening) (g + weight_decay p);  p -= lr b, or lr (g + momentum b) with nesterov.
class SGD : public OptimizerOf<SGDOptions, SGDParamState> {
public:
    static constexpr const char* class_name = "SGD";
    using OptimizerOf::OptimizerOf;
    bool takes(Layout) const override { return true; }
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, SGDParamState& s, const SGDOptions& o) override;
    void update_rows(const Tensor& p, const Tensor& g, SGDParamState& s, const SGDOptions& o) override;
};

} // namespace reel::optim
