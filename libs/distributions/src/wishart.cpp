#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/linalg/lu.hpp>
#include <reel/autograd/ops/linalg/triangular_solve.hpp>
#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>
#include <reel/autograd/ops/special/gamma.hpp>
#include <reel/distributions/wishart.hpp>

#include <numbers>

#include <reel/distributions/constraints.hpp>

#include "gamma_path.hpp"
#include "support.hpp"

namespace reel::distributions {

namespace {
MultivariateNormal vectors(const Tensor& matrix, MultivariateNormal::Given given, std::optional<bool> validate_args) {
    REEL_CHECK_VALUE(matrix.defined() && matrix.dim() >= 2, "Wishart: expected a matrix, or a batch of them");
    return {matrix.new_zeros(matrix.sizes().slice(0, matrix.dim() - 1)), matrix, given, validate_args};
}
/// Of each element of a batch, for its matrices.
Tensor over_matrices(const Tensor& t) { return t.unsqueeze(-1).unsqueeze(-1); }
} // namespace

Wishart::Wishart(const Parameter& df, const Tensor& matrix, Given given, std::optional<bool> validate_args)
    : Distribution(validate_args), normal_(vectors(matrix, given, validate_args)), given_(given),
      df_(df.tensor(matrix)), matrix_(matrix) {
    detail::check_floating("Wishart", "df", df_);
    const std::int64_t n = matrix.size(-1);
    batch_shape_ = detail::broadcast_sizes("Wishart: df and the matrices", df_.sizes(), normal_.batch_shape());
    event_shape_ = {n, n};
    const NoGradGuard no_grad;
    detail::check_parameter("Wishart", "df", df_, df_ > double(n - 1), reel::str("greater than ", n - 1).c_str());
    const AutoGradMode as_before(true);
    df_ = detail::expanded(df_, batch_shape_);
}
Tensor Wishart::covariance_matrix() const { return detail::expanded(normal_.covariance_matrix(), extended_shape({})); }
Tensor Wishart::precision_matrix() const { return detail::expanded(normal_.precision_matrix(), extended_shape({})); }
Tensor Wishart::half_log_det() const { return scale_tril().diagonal(0, -2, -1).log().sum(-1); }
Tensor Wishart::digamma_sum() const {
    const Tensor shifts = arange(event_shape_[0], detail::like(df_)) / 2;
    return digamma((df_ / 2).unsqueeze(-1) - shifts).sum(-1);
}
Tensor Wishart::mean() const { return over_matrices(df_) * covariance_matrix(); }
Tensor Wishart::mode() const {
    const Tensor factor = df_ - double(event_shape_[0] + 1);
    return over_matrices(factor.masked_fill(factor <= 0, NAN)) * covariance_matrix();
}
Tensor Wishart::variance() const {
    const Tensor v = covariance_matrix(), d = v.diagonal(0, -2, -1);
    return over_matrices(df_) * (v.square() + d.unsqueeze(-1) * d.unsqueeze(-2));
}
Tensor Wishart::entropy() const {
    const double n = double(event_shape_[0]);
    return (n + 1) * (n * std::numbers::ln2 / 2 + half_log_det()) + mvlgamma(df_ / 2, event_shape_[0]) -
           (df_ - n - 1) / 2 * digamma_sum() + df_ * n / 2;
}
Tensor Wishart::in_support(const Tensor& value) const { return constraints::positive_definite().check(value); }
Tensor Wishart::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const std::int64_t n = event_shape_[0];
    Sizes rows = extended_shape(sample_shape);
    rows.pop_back();
    const Tensor degrees = df_.unsqueeze(-1) - arange(n, detail::like(df_));
    const Tensor chi2 = 2 * detail::standard_gamma(detail::expanded(0.5 * degrees, rows), generator);
    const Tensor diagonal = chi2.sqrt().clamp_min(detail::epsilon(df_.scalar_type()));
    Sizes below = rows;
    below.back() = n * (n - 1) / 2;
    const Tensor noise = randn(below, detail::optional(generator), detail::like(df_));
    const Tensor at = tril_indices(n, n, -1, TensorOptions(kLong).device(df_.device()));
    const Tensor flat = at[0] * n + at[1];
    Sizes all = rows;
    all.back() = n * n;
    const Tensor lower = df_.new_zeros(all).index_copy(-1, flat, noise).view(extended_shape(sample_shape));
    const Tensor factor = scale_tril().matmul(lower + diag_embed(diagonal));
    return factor.matmul(factor.mT());
}
Tensor Wishart::log_density(const Tensor& value) const {
    const double n = double(event_shape_[0]);
    const Tensor log_det = std::get<1>(linalg_slogdet(value));
    const Tensor trace =
        cholesky_solve(value, detail::expanded(scale_tril(), value.sizes())).diagonal(0, -2, -1).sum(-1);
    return -df_ * (n * std::numbers::ln2 / 2 + half_log_det()) - mvlgamma(df_ / 2, event_shape_[0]) +
           (df_ - n - 1) / 2 * log_det - trace / 2;
}
Tensor Wishart::divergence(const Distribution& other) const {
    const auto& q = static_cast<const Wishart&>(other);
    const Tensor ratio = linalg::solve_triangular(q.scale_tril(), scale_tril(), false);
    const Tensor trace = ratio.square().flatten(-2).sum(-1);
    return q.df_ * (q.half_log_det() - half_log_det()) + df_ / 2 * (trace - double(event_shape_[0])) +
           mvlgamma(q.df_ / 2, event_shape_[0]) - mvlgamma(df_ / 2, event_shape_[0]) +
           (df_ - q.df_) / 2 * digamma_sum();
}
Distribution::Named Wishart::parameters() const {
    const char* const word = given_ == Given::ScaleTril    ? "scale_tril"
                             : given_ == Given::Covariance ? "covariance_matrix"
                                                           : "precision_matrix";
    return {{"df", df_}, {word, matrix_}};
}

} // namespace reel::distributions
