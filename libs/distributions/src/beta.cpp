#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/distributions/beta.hpp>

#include <numbers>

#include "adopt.hpp"
#include "gamma_path.hpp"

namespace reel::distributions {

Beta::Beta(const Parameter& concentration1, const Parameter& concentration0, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt("Beta", validate_args_,
                                 {{"concentration1", concentration1, concentration1_, detail::positive},
                                  {"concentration0", concentration0, concentration0_, detail::positive}});
}
Tensor Beta::entropy() const {
    const Tensor a = concentration1_, b = concentration0_, total = a + b;
    return log_beta() - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (total - 2) * digamma(total);
}
Tensor Beta::mean() const { return concentration1_ / (concentration1_ + concentration0_); }
Tensor Beta::mode() const {
    // only where the density has one peak inside
    const Tensor a = concentration1_ - 1, b = concentration0_ - 1, one_peak = (a > 0) & (b > 0);
    const Tensor at_end = where(a > b, ones_like(a), zeros_like(a)).masked_fill((a == b) | ((a < 0) & (b < 0)), NAN);
    return where(one_peak, a / (a + b).masked_fill(one_peak.logical_not(), 1), at_end);
}
Tensor Beta::variance() const {
    const Tensor total = concentration1_ + concentration0_;
    return concentration1_ * concentration0_ / (total.square() * (total + 1));
}
Tensor Beta::in_support(const Tensor& value) const { return (value >= 0) & (value <= 1); }
Tensor Beta::draw(IntArrayRef sample_shape, const Generator& generator) const { return rdraw(sample_shape, generator); }
Tensor Beta::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    const Tensor both = stack({detail::expanded(concentration1_, shape), detail::expanded(concentration0_, shape)}, -1);
    return detail::dirichlet(both, generator).select(-1, 0);
}
Tensor Beta::log_density(const Tensor& value) const {
    return xlogy(concentration1_ - 1, value) + special::xlog1py(concentration0_ - 1, -value) - log_beta();
}
Tensor Beta::divergence(const Distribution& other) const {
    const Beta& q = static_cast<const Beta&>(other);
    const Tensor a = concentration1_, b = concentration0_, c = q.concentration1_, d = q.concentration0_;
    return q.log_beta() - log_beta() + (a - c) * digamma(a) + (b - d) * digamma(b) + (c + d - a - b) * digamma(a + b);
}
Tensor Beta::log_beta() const {
    return concentration1_.lgamma() + concentration0_.lgamma() - (concentration1_ + concentration0_).lgamma();
}

} // namespace reel::distributions
