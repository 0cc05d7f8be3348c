#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/linalg/triangular_solve.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/multivariate_normal.hpp>

#include <numbers>

#include "support.hpp"

namespace reel::distributions {

namespace {

constexpr const char* Class = "MultivariateNormal";

const char* word(MultivariateNormal::Given given) {
    switch (given) {
    case MultivariateNormal::Given::ScaleTril:
        return "scale_tril";
    case MultivariateNormal::Given::Covariance:
        return "covariance_matrix";
    case MultivariateNormal::Given::Precision:
        break;
    }
    return "precision_matrix";
}
Tensor factor_of(const Tensor& matrix, MultivariateNormal::Given given) {
    if (given == MultivariateNormal::Given::ScaleTril) return matrix;
    const auto [factor, info] = linalg::cholesky_ex(matrix);
    REEL_CHECK_VALUE(info.eq(0).all().item<bool>(), Class, ": ", word(given), " (shape ", matrix.sizes(),
                     ") is not positive definite");
    if (given == MultivariateNormal::Given::Covariance) return factor;
    // P = J J' gives the covariance's factor by that of P turned over: no inverse of P itself is formed
    const Tensor turned = linalg::cholesky(matrix.flip({-2, -1}));
    const Tensor upper = turned.flip({-2, -1}).transpose(-2, -1);
    const Tensor identity = eye(matrix.size(-1), std::nullopt, detail::like(matrix));
    return linalg::solve_triangular(upper, identity, false);
}

} // namespace

MultivariateNormal::MultivariateNormal(const Tensor& loc, const Tensor& matrix, Given given,
                                       std::optional<bool> validate_args)
    : Distribution(validate_args), given_(given), loc_(loc), matrix_(matrix) {
    detail::check_floating(Class, "loc", loc);
    detail::check_floating(Class, word(given), matrix);
    REEL_CHECK_VALUE(loc.dim() >= 1, Class, ": loc needs a dimension of coordinates, got shape ", loc.sizes());
    const std::int64_t n = loc.size(-1);
    REEL_CHECK_VALUE(matrix.dim() >= 2 && matrix.size(-1) == n && matrix.size(-2) == n, Class, ": ", word(given),
                     " has shape ", matrix.sizes(), ", expected matrices of ", n, " x ", n, ", as loc has ", n,
                     " coordinates");
    batch_shape_ =
        detail::broadcast_sizes("MultivariateNormal: loc and the matrices", loc.sizes().slice(0, loc.dim() - 1),
                                matrix.sizes().slice(0, matrix.dim() - 2));
    event_shape_ = {n};
    if (validate_args_) {
        const NoGradGuard no_grad;
        detail::check_parameter(Class, "loc", loc, loc.isnan().logical_not(), "a number");
        if (given == Given::ScaleTril) {
            const Tensor lower = matrix == matrix.tril(), positive = matrix.diagonal(0, -2, -1) > 0;
            REEL_CHECK_VALUE(lower.all().item<bool>(), Class, ": scale_tril has numbers above its diagonal");
            REEL_CHECK_VALUE(positive.all().item<bool>(), Class, ": scale_tril has a diagonal that is not positive");
        }
    }
    loc_ = detail::expanded(loc, extended_shape({}));
    scale_tril_ = factor_of(matrix, given);
}
Tensor MultivariateNormal::covariance_matrix() const { return scale_tril_.matmul(scale_tril_.transpose(-2, -1)); }
Tensor MultivariateNormal::precision_matrix() const { return cholesky_inverse(scale_tril_); }
Tensor MultivariateNormal::half_log_det() const { return scale_tril_.diagonal(0, -2, -1).log().sum(-1); }
Tensor MultivariateNormal::variance() const {
    return detail::expanded(scale_tril_.square().sum(-1), extended_shape({}));
}
Tensor MultivariateNormal::entropy() const {
    const double constant = 0.5 * double(event_shape_[0]) * (1 + std::log(2 * std::numbers::pi));
    return detail::expanded(half_log_det() + constant, batch_shape_);
}
Tensor MultivariateNormal::in_support(const Tensor& value) const { return value.isnan().logical_not().all(-1); }
Tensor MultivariateNormal::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor noise = randn(extended_shape(sample_shape), detail::optional(generator), detail::like(loc_));
    return loc_ + scale_tril_.matmul(noise.unsqueeze(-1)).squeeze(-1);
}
Tensor MultivariateNormal::log_density(const Tensor& value) const {
    const Tensor centred = (value - loc_).unsqueeze(-1);
    const Tensor z = linalg::solve_triangular(scale_tril_, centred, false).squeeze(-1);
    const double constant = 0.5 * double(event_shape_[0]) * std::log(2 * std::numbers::pi);
    return -0.5 * z.square().sum(-1) - half_log_det() - constant;
}
Tensor MultivariateNormal::divergence(const Distribution& other) const {
    const auto& q = static_cast<const MultivariateNormal&>(other);
    const Tensor ratio = linalg::solve_triangular(q.scale_tril_, scale_tril_, false);
    const Tensor shift = linalg::solve_triangular(q.scale_tril_, (q.loc_ - loc_).unsqueeze(-1), false).squeeze(-1);
    const Tensor squares = ratio.square().sum(std::vector<std::int64_t>{-2, -1}) + shift.square().sum(-1);
    return q.half_log_det() - half_log_det() + 0.5 * (squares - double(event_shape_[0]));
}
Distribution::Named MultivariateNormal::parameters() const { return {{"loc", loc_}, {word(given_), matrix_}}; }

} // namespace reel::distributions
