#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/half_normal.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

HalfNormal::HalfNormal(const Parameter& scale, std::optional<bool> validate_args) : Distribution(validate_args) {
    batch_shape_ = detail::adopt("HalfNormal", validate_args_, {{"scale", scale, scale_, detail::positive}});
}
Tensor HalfNormal::entropy() const { return scale_.log() + 0.5 * std::log(std::numbers::pi / 2) + 0.5; }
Tensor HalfNormal::mean() const { return scale_ * std::sqrt(2 / std::numbers::pi); }
Tensor HalfNormal::mode() const { return zeros_like(scale_); }
Tensor HalfNormal::variance() const { return scale_.square() * (1 - 2 / std::numbers::pi); }
Tensor HalfNormal::cdf(const Tensor& value) const {
    check_value(value);
    return (value / (scale_ * std::numbers::sqrt2)).erf();
}
Tensor HalfNormal::icdf(const Tensor& value) const { return scale_ * std::numbers::sqrt2 * value.erfinv(); }
Tensor HalfNormal::in_support(const Tensor& value) const { return value >= 0; }
Tensor HalfNormal::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    return (randn(extended_shape(sample_shape), detail::optional(generator), detail::like(scale_)) * scale_).abs();
}
Tensor HalfNormal::log_density(const Tensor& value) const {
    const Tensor p = (value / scale_).square() * -0.5 - scale_.log() + 0.5 * std::log(2 / std::numbers::pi);
    return p.masked_fill(value < 0, -INFINITY);
}
Tensor HalfNormal::divergence(const Distribution& other) const {
    const HalfNormal& q = static_cast<const HalfNormal&>(other);
    const Tensor ratio = scale_ / q.scale_;
    return 0.5 * (ratio.square() - 1) - ratio.log();
}

} // namespace reel::distributions
