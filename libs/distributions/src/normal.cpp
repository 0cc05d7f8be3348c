#include <reel/autograd/ops/pointwise/error_function.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/random/sampling.hpp>
#include <reel/distributions/normal.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

namespace {
const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);
}

Tensor Normal::entropy() const { return scale_.log() + (0.5 + half_log_two_pi); }
Tensor Normal::variance() const { return scale_.square(); }
Tensor Normal::cdf(const Tensor& value) const {
    check_value(value);
    return special::ndtr((value - loc_) / scale_);
}
Tensor Normal::icdf(const Tensor& value) const { return loc_ + scale_ * special::ndtri(value); }
Tensor Normal::in_support(const Tensor& value) const { return value.isnan().logical_not(); }
Tensor Normal::draw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    return normal(detail::expanded(loc_, shape), detail::expanded(scale_, shape), detail::optional(generator));
}
Tensor Normal::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor noise = randn(extended_shape(sample_shape), detail::optional(generator), detail::like(loc_));
    return loc_ + noise * scale_;
}
Tensor Normal::log_density(const Tensor& value) const {
    return ((value - loc_) / scale_).square() * -0.5 - scale_.log() - half_log_two_pi;
}
Tensor Normal::divergence(const Distribution& other) const {
    const Normal& q = static_cast<const Normal&>(other);
    const Tensor ratio = scale_ / q.scale_;
    return 0.5 * (ratio.square() + ((loc_ - q.loc_) / q.scale_).square() - 1) - ratio.log();
}

} // namespace reel::distributions
