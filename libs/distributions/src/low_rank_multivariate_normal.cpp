#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/linalg/triangular_solve.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/distributions/low_rank_multivariate_normal.hpp>

#include <cmath>
#include <numbers>

#include "support.hpp"

namespace reel::distributions {

namespace {
constexpr const char* Class = "LowRankMultivariateNormal";
Tensor times(const Tensor& matrix, const Tensor& vector) { return matrix.matmul(vector.unsqueeze(-1)).squeeze(-1); }
} // namespace

LowRankMultivariateNormal::LowRankMultivariateNormal(const Tensor& loc, const Tensor& cov_factor,
                                                     const Tensor& cov_diag, std::optional<bool> validate_args)
    : Distribution(validate_args), loc_(loc), factor_(cov_factor), diag_(cov_diag) {
    detail::check_floating(Class, "loc", loc);
    detail::check_floating(Class, "cov_factor", cov_factor);
    detail::check_floating(Class, "cov_diag", cov_diag);
    REEL_CHECK_VALUE(loc.dim() >= 1, Class, ": loc needs a dimension of coordinates, got shape ", loc.sizes());
    const std::int64_t n = loc.size(-1);
    REEL_CHECK_VALUE(cov_factor.dim() >= 2 && cov_factor.size(-2) == n, Class, ": cov_factor has shape ",
                     cov_factor.sizes(), ", expected matrices of ", n, " rows, as loc has ", n, " coordinates");
    REEL_CHECK_VALUE(cov_diag.dim() >= 1 && cov_diag.size(-1) == n, Class, ": cov_diag has shape ", cov_diag.sizes(),
                     ", expected vectors of ", n, " numbers, as loc has ", n, " coordinates");
    const auto batch = [](const Tensor& t, std::int64_t event) { return t.sizes().slice(0, t.dim() - event); };
    batch_shape_ = detail::broadcast_sizes("LowRankMultivariateNormal: the batches of loc and cov_factor",
                                           batch(loc, 1), batch(cov_factor, 2));
    batch_shape_ = detail::broadcast_sizes("LowRankMultivariateNormal: the batches of loc and cov_diag", batch_shape_,
                                           batch(cov_diag, 1));
    event_shape_ = {n};
    if (validate_args_) {
        const NoGradGuard no_grad;
        detail::check_parameter(Class, "cov_diag", cov_diag, cov_diag > 0, "greater than 0");
    }
    loc_ = detail::expanded(loc, extended_shape({}));
    weighted_ = factor_.mT() / diag_.unsqueeze(-2);
    const Tensor one = eye(factor_.size(-1), std::nullopt, detail::like(factor_));
    capacitance_ = linalg::cholesky(weighted_.matmul(factor_) + one);
}
Tensor LowRankMultivariateNormal::square_matrix(const Tensor& m) const {
    Sizes sizes = extended_shape({});
    sizes.push_back(event_shape_[0]);
    return detail::expanded(m, sizes);
}
Tensor LowRankMultivariateNormal::covariance_matrix() const {
    return square_matrix(factor_.matmul(factor_.mT()) + diag_embed(diag_));
}
Tensor LowRankMultivariateNormal::scale_tril() const {
    // that of 1 + V V' with V = D^-1/2 W, whose eigenvalues are at least 1
    const Tensor root = diag_.sqrt().unsqueeze(-1), v = factor_ / root;
    const Tensor one = eye(event_shape_[0], std::nullopt, detail::like(factor_));
    return square_matrix(root * linalg::cholesky(v.matmul(v.mT()) + one));
}
Tensor LowRankMultivariateNormal::precision_matrix() const {
    const Tensor a = linalg::solve_triangular(capacitance_, weighted_, false);
    return square_matrix(diag_embed(diag_.reciprocal()) - a.mT().matmul(a));
}
Tensor LowRankMultivariateNormal::log_det() const {
    return 2 * capacitance_.diagonal(0, -2, -1).log().sum(-1) + diag_.log().sum(-1);
}
Tensor LowRankMultivariateNormal::mahalanobis(const Tensor& difference) const {
    const Tensor along = linalg::solve_triangular(capacitance_, times(weighted_, difference).unsqueeze(-1), false);
    return (difference.square() / diag_).sum(-1) - along.squeeze(-1).square().sum(-1);
}
Tensor LowRankMultivariateNormal::variance() const {
    return detail::expanded(factor_.square().sum(-1) + diag_, extended_shape({}));
}
Tensor LowRankMultivariateNormal::entropy() const {
    const double constant = double(event_shape_[0]) * (1 + std::log(2 * std::numbers::pi));
    return detail::expanded(0.5 * (constant + log_det()), batch_shape_);
}
Tensor LowRankMultivariateNormal::in_support(const Tensor& value) const { return value.isnan().logical_not().all(-1); }
Tensor LowRankMultivariateNormal::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    Sizes thin = shape;
    thin.back() = factor_.size(-1);
    const Tensor along = randn(thin, detail::optional(generator), detail::like(loc_));
    const Tensor own = randn(shape, detail::optional(generator), detail::like(loc_));
    return loc_ + times(factor_, along) + diag_.sqrt() * own;
}
Tensor LowRankMultivariateNormal::log_density(const Tensor& value) const {
    const double constant = double(event_shape_[0]) * std::log(2 * std::numbers::pi);
    return -0.5 * (constant + log_det() + mahalanobis(value - loc_));
}
Tensor LowRankMultivariateNormal::divergence(const Distribution& other) const {
    const auto& q = static_cast<const LowRankMultivariateNormal&>(other);
    const Tensor a = linalg::solve_triangular(q.capacitance_, q.weighted_, false);
    const Tensor own = (diag_ + factor_.square().sum(-1)) / q.diag_;
    const Tensor along =
        (a.square() * diag_.unsqueeze(-2)).flatten(-2).sum(-1) + a.matmul(factor_).square().flatten(-2).sum(-1);
    return 0.5 *
           (q.log_det() - log_det() + own.sum(-1) - along + q.mahalanobis(q.loc_ - loc_) - double(event_shape_[0]));
}

} // namespace reel::distributions
