// Muon: momentum made orthogonal.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of Muon, with PyTorch's names and defaults.
class MuonOptions : public OptimizerCloneableOptions<MuonOptions> {
public:
    using coefficients_t = std::tuple<double, double, double>;
    MuonOptions() = default;
    MuonOptions(double lr) { this->lr(lr); }
    MuonOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-3);
    REEL_OPTION(double, weight_decay) = 0.1;
    REEL_OPTION(double, momentum) = 0.95;
    REEL_OPTION(bool, nesterov) = true;
    REEL_OPTION(coefficients_t, ns_coefficients) = coefficients_t(3.4445, -4.7750, 2.0315);
    REEL_OPTION(double, eps) = 1e-7;
    REEL_OPTION(std::int64_t, ns_steps) = 5;
    REEL_OPTION(std::optional<std::string>, adjust_lr_fn) = std::optional<std::string>();
};
/// What Muon remembers of one parameter.
class MuonParamState : public OptimizerCloneableParamState<MuonParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(Tensor, momentum_buffer);
};

/// For matrices only. Steps along the momentum with its singular values pushed towards one by `ns_steps` Newton-Schulz
/// iterations in bfloat16. `adjust_lr_fn`: nullopt or "original" scales the rate by sqrt(max(1, rows / columns)),
/// "match_rms_adamw" by 0.2 sqrt(max(rows, columns)). K. Jordan et al., 2024. ValueError for other than 2-d parameters.
class Muon : public OptimizerOf<MuonOptions, MuonParamState> {
public:
    static constexpr const char* class_name = "Muon";
    using OptimizerOf::OptimizerOf;
    bool is_elementwise() const override { return false; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, MuonParamState& s, const MuonOptions& o) override;
};

} // namespace reel::optim
