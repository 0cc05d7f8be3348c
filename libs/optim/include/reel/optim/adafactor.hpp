// Adafactor: second moments kept as rows and columns.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of Adafactor, with PyTorch's names and defaults.
class AdafactorOptions : public OptimizerCloneableOptions<AdafactorOptions> {
public:
    using eps_t = std::tuple<std::optional<double>, double>;
    AdafactorOptions() = default;
    AdafactorOptions(double lr) { this->lr(lr); }
    AdafactorOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-2);
    REEL_OPTION(double, beta2_decay) = -0.8;
    REEL_OPTION(eps_t, eps) = eps_t(std::nullopt, 1e-3);
    REEL_OPTION(double, d) = 1;
    REEL_OPTION(double, weight_decay) = 0;
    REEL_OPTION(bool, maximize) = false;
};
/// What Adafactor remembers of one parameter.
class AdafactorParamState : public OptimizerCloneableParamState<AdafactorParamState> {
public:
    bool shaped_like_parameter(std::string_view field) const override { return field == "variance"; }
    void fields(FieldVisitor& v) override;
    REEL_STATE(StepCount, step);
    REEL_STATE(Tensor, row_var);
    REEL_STATE(Tensor, col_var);
    REEL_STATE(Tensor, variance);
};

/// Scales the gradient by a second moment that matrices keep factored into row and column means, limits the update's
/// root mean square to `d`, and steps relative to the parameter's own size. `eps` is (for the moment, nullopt: the
/// dtype's epsilon; for the parameter's size). N. Shazeer, M. Stern, 2018.
class Adafactor : public OptimizerOf<AdafactorOptions, AdafactorParamState> {
public:
    static constexpr const char* class_name = "Adafactor";
    using OptimizerOf::OptimizerOf;
    bool is_elementwise() const override { return false; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, AdafactorParamState& s, const AdafactorOptions& o) override;
};

} // namespace reel::optim
