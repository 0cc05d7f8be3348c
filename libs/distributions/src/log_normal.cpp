#include <reel/autograd/ops/pointwise/error_function.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/log_normal.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Tensor LogNormal::entropy() const { return scale_.log() + loc_ + (0.5 + 0.5 * std::log(2 * std::numbers::pi)); }
Tensor LogNormal::mean() const { return (loc_ + scale_.square() / 2).exp(); }
Tensor LogNormal::mode() const { return (loc_ - scale_.square()).exp(); }
Tensor LogNormal::variance() const { return scale_.square().expm1() * (2 * loc_ + scale_.square()).exp(); }
Tensor LogNormal::cdf(const Tensor& value) const {
    check_value(value);
    return special::ndtr((value.log() - loc_) / scale_);
}
Tensor LogNormal::icdf(const Tensor& value) const { return (loc_ + scale_ * special::ndtri(value)).exp(); }
Tensor LogNormal::in_support(const Tensor& value) const { return value > 0; }
Tensor LogNormal::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor noise = randn(extended_shape(sample_shape), detail::optional(generator), detail::like(loc_));
    return (loc_ + noise * scale_).exp();
}
Tensor LogNormal::log_density(const Tensor& value) const {
    const Tensor log_value = value.log();
    return ((log_value - loc_) / scale_).square() * -0.5 - scale_.log() - 0.5 * std::log(2 * std::numbers::pi) -
           log_value;
}
Tensor LogNormal::divergence(const Distribution& other) const {
    const LogNormal& q = static_cast<const LogNormal&>(other);
    const Tensor ratio = scale_ / q.scale_;
    return 0.5 * (ratio.square() + ((loc_ - q.loc_) / q.scale_).square() - 1) - ratio.log();
}

} // namespace reel::distributions
