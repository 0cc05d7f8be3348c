// Adam for sparse gradients.
#pragma once

#include <reel/optim/optimizer_of.hpp>

namespace reel::optim {

/// Options of SparseAdam, with PyTorch's names and defaults.
class SparseAdamOptions : public OptimizerCloneableOptions<SparseAdamOptions> {
public:
    using betas_t = std::tuple<double, double>;
    SparseAdamOptions() = default;
    SparseAdamOptions(double lr) { this->lr(lr); }
    SparseAdamOptions(const Tensor& lr) { this->lr(lr); }
    void fields(FieldVisitor& v) override;
    void check() const override;
    REEL_OPTION(Rate, lr) = Rate(1e-3);
    REEL_OPTION(betas_t, betas) = betas_t(0.9, 0.999);
    REEL_OPTION(double, eps) = 1e-8;
    REEL_OPTION(bool, maximize) = false;
};
/// What SparseAdam remembers of one parameter.
class SparseAdamParamState : public OptimizerCloneableParamState<SparseAdamParamState> {
public:
    void fields(FieldVisitor& v) override;
    REEL_STATE(std::int64_t, step) = 0;
    REEL_STATE(Tensor, exp_avg);
    REEL_STATE(Tensor, exp_avg_sq);
};

/// Adam whose averages and parameters move in those rows alone that a gradient names: the averages of the others do not
/// decay meanwhile. Gradients must be sparse (Error otherwise), parameters are strided.
/// m += (1 - b1) (g - m);  v += (1 - b2) (g^2 - v);  p -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps)
class SparseAdam : public OptimizerOf<SparseAdamOptions, SparseAdamParamState> {
public:
    static constexpr const char* class_name = "SparseAdam";
    /// ValueError for a sparse parameter.
    explicit SparseAdam(std::vector<OptimizerParamGroup> groups, SparseAdamOptions defaults = {});
    explicit SparseAdam(std::vector<Tensor> params, SparseAdamOptions defaults = {});
    bool takes(Layout gradient) const override { return gradient == kSparse; }

protected:
    void update_rows(const Tensor& p, const Tensor& g, SparseAdamParamState& s, const SparseAdamOptions& o) override;
};

} // namespace reel::optim
