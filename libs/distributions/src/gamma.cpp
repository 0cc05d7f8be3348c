#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/distributions/gamma.hpp>

#include <numbers>

#include "adopt.hpp"
#include "gamma_path.hpp"

namespace reel::distributions {

Gamma::Gamma(const Parameter& concentration, const Parameter& rate, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt(
        "Gamma", validate_args_,
        {{"concentration", concentration, concentration_, detail::positive}, {"rate", rate, rate_, detail::positive}});
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
