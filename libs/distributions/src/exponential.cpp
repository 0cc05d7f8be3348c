#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/distributions/exponential.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Exponential::Exponential(const Parameter& rate, std::optional<bool> validate_args) : Distribution(validate_args) {
    batch_shape_ = detail::adopt("Exponential", validate_args_, {{"rate", rate, rate_, detail::positive}});
}
Tensor Exponential::entropy() const { return 1 - rate_.log(); }
Tensor Exponential::mean() const { return rate_.reciprocal(); }
Tensor Exponential::mode() const { return zeros_like(rate_); }
Tensor Exponential::variance() const { return rate_.pow(-2); }
Tensor Exponential::stddev() const { return rate_.reciprocal(); }
Tensor Exponential::cdf(const Tensor& value) const {
    check_value(value);
    return -(-rate_ * value).expm1();
}
Tensor Exponential::icdf(const Tensor& value) const { return -(-value).log1p() / rate_; }
Tensor Exponential::in_support(const Tensor& value) const { return value >= 0; }
Tensor Exponential::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    Tensor e = detail::draw_memory(extended_shape(sample_shape), rate_);
    e.exponential_(1, detail::optional(generator));
    return e / rate_;
}
Tensor Exponential::log_density(const Tensor& value) const { return rate_.log() - rate_ * value; }
Tensor Exponential::divergence(const Distribution& other) const {
    const Exponential& q = static_cast<const Exponential&>(other);
    const Tensor ratio = q.rate_ / rate_;
    return ratio - ratio.log() - 1;
}

} // namespace reel::distributions
