// Adagrad.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of Adagrad, with PyTorch's names and defaults.
class AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
public:
    AdagradOptions() = default;
    AdagradOptions(double lr) { this->lr(lr); }
    AdagradOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-2);
    REEL_OPTION(double, lr_decay) = 0;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(double, initial_accumulator_value) = 0;
    REEL_OPTION(double, eps) = 1e-10;
    REEL_OPTION(bool, maximize) = false;
};
/// What Adagrad remembers of one parameter.
class AdagradParamState : public OptimizerCloneableParamState<AdagradParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, sum);
};

/// Takes sparse gradients, and touches only the rows that they name; weight_decay is refused for them.
/// s += g^2;  p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps). J. Duchi et al., 2011.
class Adagrad : public OptimizerOf<AdagradOptions, AdagradParamState> {
public:
    static constexpr const char* class_name = "Adagrad";
    explicit Adagrad(std::vector<OptimizerParamGroup> groups, AdagradOptions defaults = {});
    explicit Adagrad(std::vector<Tensor> params, AdagradOptions defaults = {});
    bool takes(Layout) const override { return true; }
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, AdagradParamState& s, const AdagradOptions& o) override;
    void update_rows(const Tensor& p, const Tensor& g, AdagradParamState& s, const AdagradOptions& o) override;

private:
    void make_states();
    static void give_sum(const Tensor& p, AdagradParamState& s, const AdagradOptions& o);
};

} // namespace reel::optim
