#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/distributions/half_cauchy.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

HalfCauchy::HalfCauchy(const Parameter& scale, std::optional<bool> validate_args) : Distribution(validate_args) {
    batch_shape_ = detail::adopt("HalfCauchy", validate_args_, {{"scale", scale, scale_, detail::positive}});
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
