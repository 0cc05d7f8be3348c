#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/uniform.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Uniform::Uniform(const Parameter& low, const Parameter& high, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt("Uniform", validate_args_,
                                 {{"low", low, low_, detail::a_number}, {"high", high, high_, detail::a_number}});
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("Uniform", "high", high_, high_ > low_, "above low");
}
Tensor Uniform::entropy() const { return (high_ - low_).log(); }
Tensor Uniform::mean() const { return (high_ + low_) / 2; }
Tensor Uniform::mode() const { return full_like(high_, NAN); }
Tensor Uniform::variance() const { return (high_ - low_).square() / 12; }
Tensor Uniform::stddev() const { return (high_ - low_) / std::sqrt(12.0); }
Tensor Uniform::cdf(const Tensor& value) const {
    check_value(value);
    return ((value - low_) / (high_ - low_)).clamp(0, 1);
}
Tensor Uniform::icdf(const Tensor& value) const { return value * (high_ - low_) + low_; }
Tensor Uniform::in_support(const Tensor& value) const { return (value >= low_) & (value <= high_); }
Tensor Uniform::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor u = rand(extended_shape(sample_shape), detail::optional(generator), detail::like(low_));
    return low_ + u * (high_ - low_);
}
Tensor Uniform::log_density(const Tensor& value) const {
    const Tensor inside = (value >= low_) & (value < high_);
    return (-(high_ - low_).log()).masked_fill(inside.logical_not(), -INFINITY);
}
Tensor Uniform::divergence(const Distribution& other) const {
    const Uniform& q = static_cast<const Uniform&>(other);
    const Tensor outside = (q.low_ > low_) | (q.high_ < high_);
    return ((q.high_ - q.low_) / (high_ - low_)).log().masked_fill(outside, INFINITY);
}

} // namespace reel::distributions
