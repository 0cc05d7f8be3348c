#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/distributions/gamma.hpp>

#include <numbers>

#include "gamma_path.hpp"
#include "support.hpp"

namespace reel::distributions {

Gamma::Gamma(const Tensor& concentration, double rate, std::optional<bool> validate_args)
    : Gamma(concentration, detail::number(rate, concentration), validate_args) {}
Gamma::Gamma(const Tensor& concentration, const Tensor& rate, std::optional<bool> validate_args)
    : Distribution(validate_args), concentration_(concentration), rate_(rate) {
    detail::check_floating("Gamma", "concentration", concentration);
    detail::check_floating("Gamma", "rate", rate);
    detail::broadcast_pair("Gamma: concentration and rate", concentration_, rate_);
    batch_shape_ = concentration_.sizes().vec();
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("Gamma", "concentration", concentration, concentration > 0, "greater than 0");
    detail::check_parameter("Gamma", "rate", rate, rate > 0, "greater than 0");
}
Tensor Gamma::entropy() const {
    const Tensor c = concentration_;
    return c - rate_.log() + c.lgamma() + (1 - c) * digamma(c);
}
Tensor Gamma::mean() const { return concentration_ / rate_; }
Tensor Gamma::mode() const { return ((concentration_ - 1) / rate_).clamp_min(0); }
Tensor Gamma::variance() const { return concentration_ / rate_.square(); }
Tensor Gamma::cdf(const Tensor& value) const {
    check_value(value);
    return igamma(concentration_, rate_ * value);
}
Tensor Gamma::in_support(const Tensor& value) const { return value >= 0; }
Tensor Gamma::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator);
}
Tensor Gamma::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    const Tensor draws = detail::standard_gamma(detail::expanded(concentration_, shape), generator);
    return (draws / detail::expanded(rate_, shape)).clamp_min(detail::least_normal(rate_.scalar_type()));
}
Tensor Gamma::log_density(const Tensor& value) const {
    const Tensor c = concentration_;
    return xlogy(c, rate_) + xlogy(c - 1, value) - rate_ * value - c.lgamma();
}
Tensor Gamma::divergence(const Distribution& other) const {
    const Gamma& q = static_cast<const Gamma&>(other);
    const Tensor a = concentration_, b = q.concentration_;
    return b * (rate_ / q.rate_).log() + b.lgamma() - a.lgamma() + (a - b) * digamma(a) +
           (q.rate_ - rate_) * (a / rate_);
}

} // namespace reel::distributions
