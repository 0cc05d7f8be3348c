#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/distributions/half_cauchy.hpp>

#include <numbers>

#include "support.hpp"

namespace reel::distributions {

HalfCauchy::HalfCauchy(const Tensor& scale, std::optional<bool> validate_args)
    : Distribution(validate_args), scale_(scale) {
    detail::check_floating("HalfCauchy", "scale", scale);
    batch_shape_ = scale_.sizes().vec();
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("HalfCauchy", "scale", scale, scale > 0, "greater than 0");
}
Tensor HalfCauchy::entropy() const { return scale_.log() + std::log(2 * std::numbers::pi); }
Tensor HalfCauchy::mean() const { return full_like(scale_, INFINITY); }
Tensor HalfCauchy::mode() const { return zeros_like(scale_); }
Tensor HalfCauchy::variance() const { return full_like(scale_, INFINITY); }
Tensor HalfCauchy::cdf(const Tensor& value) const {
    check_value(value);
    return (2 / std::numbers::pi) * (value / scale_).atan();
}
Tensor HalfCauchy::icdf(const Tensor& value) const { return scale_ * (value * (std::numbers::pi / 2)).tan(); }
Tensor HalfCauchy::in_support(const Tensor& value) const { return value >= 0; }
Tensor HalfCauchy::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator);
}
Tensor HalfCauchy::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    Tensor c = detail::draw_memory(extended_shape(sample_shape), scale_);
    c.cauchy_(0, 1, detail::optional(generator));
    return (c * scale_).abs();
}
Tensor HalfCauchy::log_density(const Tensor& value) const {
    const Tensor p = std::log(2 / std::numbers::pi) - scale_.log() - (value / scale_).square().log1p();
    return p.masked_fill(value < 0, -INFINITY);
}

} // namespace reel::distributions
