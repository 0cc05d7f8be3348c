#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/distributions/weibull.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Weibull::Weibull(const Parameter& scale, const Parameter& concentration, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt("Weibull", validate_args_,
                                 {{"scale", scale, scale_, detail::positive},
                                  {"concentration", concentration, concentration_, detail::positive}});
}
Tensor Weibull::entropy() const {
    return std::numbers::egamma * (1 - concentration_.reciprocal()) + (scale_ / concentration_).log() + 1;
}
Tensor Weibull::mean() const { return scale_ * (1 + concentration_.reciprocal()).lgamma().exp(); }
Tensor Weibull::mode() const {
    const Tensor k = concentration_.where(concentration_ > 1, 2);
    return (scale_ * ((k - 1) / k).pow(k.reciprocal())).masked_fill(concentration_ <= 1, 0);
}
Tensor Weibull::variance() const {
    const Tensor inverse = concentration_.reciprocal();
    const Tensor first = (1 + inverse).lgamma(), second = (1 + 2 * inverse).lgamma();
    return scale_.square() * (2 * first).exp() * (second - 2 * first).expm1();
}
Tensor Weibull::cdf(const Tensor& value) const {
    check_value(value);
    return -(-(value / scale_).pow(concentration_)).expm1();
}
Tensor Weibull::icdf(const Tensor& value) const {
    return scale_ * (-(-value).log1p()).pow(concentration_.reciprocal());
}
Tensor Weibull::in_support(const Tensor& value) const { return value >= 0; }
Tensor Weibull::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    Tensor e = detail::draw_memory(extended_shape(sample_shape), scale_);
    e.exponential_(1, detail::optional(generator));
    return scale_ * e.pow(concentration_.reciprocal());
}
Tensor Weibull::log_density(const Tensor& value) const {
    const Tensor z = value / scale_;
    return (concentration_ / scale_).log() + xlogy(concentration_ - 1, z) - z.pow(concentration_);
}

} // namespace reel::distributions
