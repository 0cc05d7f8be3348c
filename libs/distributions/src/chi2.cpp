#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/distributions/chi2.hpp>

#include <numbers>

#include "adopt.hpp"
#include "gamma_path.hpp"

namespace reel::distributions {

Chi2::Chi2(const Parameter& df, std::optional<bool> validate_args) : Distribution(validate_args) {
    batch_shape_ = detail::adopt("Chi2", validate_args_, {{"df", df, df_, detail::positive}});
}
Tensor Chi2::entropy() const {
    const Tensor c = 0.5 * df_;
    return c + std::numbers::ln2 + c.lgamma() + (1 - c) * digamma(c);
}
Tensor Chi2::mean() const { return df_; }
Tensor Chi2::mode() const { return (df_ - 2).clamp_min(0); }
Tensor Chi2::variance() const { return 2 * df_; }
Tensor Chi2::cdf(const Tensor& value) const {
    check_value(value);
    return igamma(0.5 * df_, 0.5 * value);
}
Tensor Chi2::in_support(const Tensor& value) const { return value >= 0; }
Tensor Chi2::draw(IntArrayRef sample_shape, const Generator& generator) const { return rdraw(sample_shape, generator); }
Tensor Chi2::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    const Tensor draws = detail::standard_gamma(detail::expanded(0.5 * df_, shape), generator);
    return (draws / 0.5).clamp_min(detail::least_normal(df_.scalar_type()));
}
Tensor Chi2::log_density(const Tensor& value) const {
    const Tensor c = 0.5 * df_;
    return xlogy(c - 1, value) - 0.5 * value - c * std::numbers::ln2 - c.lgamma();
}
Tensor Chi2::divergence(const Distribution& other) const {
    const Chi2& q = static_cast<const Chi2&>(other);
    const Tensor a = 0.5 * df_, b = 0.5 * q.df_;
    return b.lgamma() - a.lgamma() + (a - b) * digamma(a);
}

} // namespace reel::distributions
