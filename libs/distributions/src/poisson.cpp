#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/random/distributions.hpp>
#include <reel/distributions/poisson.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Poisson::Poisson(const Parameter& rate, std::optional<bool> validate_args) : Distribution(validate_args) {
    batch_shape_ = detail::adopt("Poisson", validate_args_, {{"rate", rate, rate_, detail::not_negative}});
}
Tensor Poisson::mean() const { return rate_; }
Tensor Poisson::mode() const { return rate_.floor(); }
Tensor Poisson::variance() const { return rate_; }
Tensor Poisson::in_support(const Tensor& value) const { return (value >= 0) & (value == value.floor()); }
Tensor Poisson::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return poisson(detail::expanded(rate_, extended_shape(sample_shape)), detail::optional(generator));
}
Tensor Poisson::log_density(const Tensor& value) const { return xlogy(value, rate_) - rate_ - (value + 1).lgamma(); }
Tensor Poisson::divergence(const Distribution& other) const {
    const Poisson& q = static_cast<const Poisson&>(other);
    return xlogy(rate_, rate_ / q.rate_) - (rate_ - q.rate_);
}

} // namespace reel::distributions
