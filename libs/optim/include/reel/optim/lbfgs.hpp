// Limited-memory BFGS.
#pragma once

#include <optional>

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// `line_search_fn`: nullopt for fixed steps of `lr`, or "strong_wolfe". `max_eval` defaults to 1.25 max_iter.
class LBFGSOptions : public OptimizerCloneableOptions<LBFGSOptions> {
public:
    LBFGSOptions() = default;
    LBFGSOptions(double lr) { this->lr(lr); }
    LBFGSOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1);
    REEL_OPTION(std::int64_t, max_iter) = 20;
    REEL_OPTION(std::optional<std::int64_t>, max_eval) = std::optional<std::int64_t>();
    REEL_OPTION(double, tolerance_grad) = 1e-7;
    REEL_OPTION(double, tolerance_change) = 1e-9;
    REEL_OPTION(std::int64_t, history_size) = 100;
    REEL_OPTION(std::optional<std::string>, line_search_fn) = std::optional<std::string>();
    REEL_OPTION(bool, maximize) = false;
};
/// Kept once, for the first parameter; vectors run over all parameters.
class LBFGSParamState : public OptimizerCloneableParamState<LBFGSParamState> {
public:
    void fields(FieldVisitor& v) override;
    bool shaped_like_parameter(std::string_view) const override { return false; }
    REEL_STATE(std::int64_t, func_evals) = 0;
    REEL_STATE(std::int64_t, n_iter) = 0;
    REEL_STATE(double, t) = 0;
    REEL_STATE(double, prev_loss) = 0;
    REEL_STATE(double, H_diag) = 1;
    REEL_STATE(Tensor, d);
    REEL_STATE(Tensor, prev_flat_grad);
    REEL_STATE(std::vector<Tensor>, old_dirs);
    REEL_STATE(std::vector<Tensor>, old_stps);
    REEL_STATE(std::vector<double>, ro);
};

/// Steps along quasi-Newton directions; each step evaluates the closure several times.
/// Errors: Error without a closure; ValueError for more than one parameter group.
/// J. Nocedal, S. J. Wright: Numerical Optimization, 2006, chapters 3 and 7.
class LBFGS : public OptimizerOf<LBFGSOptions, LBFGSParamState> {
public:
    static constexpr const char* class_name = "LBFGS";
    explicit LBFGS(std::vector<OptimizerParamGroup> groups, LBFGSOptions defaults = {});
    explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {});
    bool takes(Layout) const override { return true; } ///< sparse ones as dense vectors
    bool is_elementwise() const override { return false; }
    Tensor step(LossClosure closure) override;

private:
    std::vector<Tensor>& params() { return groups_[0].params(); }
    Tensor flat_gradient(); ///< of what is minimised: negated when maximizing
    void move(double t, const Tensor& direction);
    void set_params(const std::vector<Tensor>& values);
    bool maximizes() const;
    void minimize(const std::function<double()>& evaluate, double loss);
};

} // namespace reel::optim
