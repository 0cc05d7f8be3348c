#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/distributions/weibull.hpp>

#include <numbers>

#include "support.hpp"

namespace reel::distributions {

Weibull::Weibull(const Tensor& scale, double concentration, std::optional<bool> validate_args)
    : Weibull(scale, detail::number(concentration, scale), validate_args) {}
Weibull::Weibull(const Tensor& scale, const Tensor& concentration, std::optional<bool> validate_args)
    : Distribution(validate_args), scale_(scale), concentration_(concentration) {
    detail::check_floating("Weibull", "scale", scale);
    detail::check_floating("Weibull", "concentration", concentration);
    detail::broadcast_pair("Weibull: scale and concentration", scale_, concentration_);
    batch_shape_ = scale_.sizes().vec();
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("Weibull", "scale", scale, scale > 0, "greater than 0");
    detail::check_parameter("Weibull", "concentration", concentration, concentration > 0, "greater than 0");
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
Tensor Weibull::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator);
}
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
