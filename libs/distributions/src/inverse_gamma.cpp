#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/distributions/inverse_gamma.hpp>

#include <numbers>

#include "adopt.hpp"
#include "gamma_path.hpp"

namespace reel::distributions {

InverseGamma::InverseGamma(const Parameter& concentration, const Parameter& rate, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt(
        "InverseGamma", validate_args_,
        {{"concentration", concentration, concentration_, detail::positive}, {"rate", rate, rate_, detail::positive}});
}
Tensor InverseGamma::entropy() const {
    const Tensor c = concentration_;
    return c + rate_.log() + c.lgamma() - (1 + c) * digamma(c);
}
Tensor InverseGamma::mean() const {
    const Tensor c = concentration_.where(concentration_ > 1, 2);
    return (rate_ / (c - 1)).masked_fill(concentration_ <= 1, INFINITY);
}
Tensor InverseGamma::mode() const { return rate_ / (concentration_ + 1); }
Tensor InverseGamma::variance() const {
    const Tensor c = concentration_.where(concentration_ > 2, 3);
    return (rate_.square() / ((c - 1).square() * (c - 2))).masked_fill(concentration_ <= 2, INFINITY);
}
Tensor InverseGamma::cdf(const Tensor& value) const {
    check_value(value);
    return igammac(concentration_, rate_ / value);
}
Tensor InverseGamma::in_support(const Tensor& value) const { return value > 0; }
Tensor InverseGamma::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    const Tensor draws = detail::standard_gamma(detail::expanded(concentration_, shape), generator);
    return (draws / detail::expanded(rate_, shape)).clamp_min(detail::least_normal(rate_.scalar_type())).reciprocal();
}
Tensor InverseGamma::log_density(const Tensor& value) const {
    const Tensor c = concentration_;
    return xlogy(c, rate_) - (c + 1) * value.log() - rate_ / value - c.lgamma();
}
Tensor InverseGamma::divergence(const Distribution& other) const {
    const InverseGamma& q = static_cast<const InverseGamma&>(other);
    const Tensor a = concentration_, b = q.concentration_;
    return b * (rate_ / q.rate_).log() + b.lgamma() - a.lgamma() + (a - b) * digamma(a) +
           (q.rate_ - rate_) * (a / rate_);
}

} // namespace reel::distributions
