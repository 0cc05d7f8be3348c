#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/kumaraswamy.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Kumaraswamy::Kumaraswamy(const Parameter& concentration1, const Parameter& concentration0,
                         std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt("Kumaraswamy", validate_args_,
                                 {{"concentration1", concentration1, concentration1_, detail::positive},
                                  {"concentration0", concentration0, concentration0_, detail::positive}});
}
Tensor Kumaraswamy::entropy() const {
    const Tensor a = concentration1_, b = concentration0_;
    const Tensor harmonic = digamma(b + 1) + std::numbers::egamma;
    return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log();
}
Tensor Kumaraswamy::mean() const { return moment(1); }
Tensor Kumaraswamy::mode() const {
    const Tensor a = concentration1_, b = concentration0_, inside = (a >= 1) & (b >= 1) & ((a > 1) | (b > 1));
    const Tensor x = a.where(inside, 2), y = b.where(inside, 2);
    return ((x - 1) / (x * y - 1)).pow(x.reciprocal()).masked_fill(inside.logical_not(), NAN);
}
Tensor Kumaraswamy::variance() const { return moment(2) - moment(1).square(); }
Tensor Kumaraswamy::cdf(const Tensor& value) const {
    check_value(value);
    return -(concentration0_ * (-value.pow(concentration1_)).log1p()).expm1();
}
Tensor Kumaraswamy::icdf(const Tensor& value) const {
    return (-((-value).log1p() / concentration0_).expm1()).pow(concentration1_.reciprocal());
}
Tensor Kumaraswamy::in_support(const Tensor& value) const { return (value >= 0) & (value <= 1); }
Tensor Kumaraswamy::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor u = rand(extended_shape(sample_shape), detail::optional(generator), detail::like(concentration1_));
    // kept from 0 and 1, where the powers have no gradient
    const double epsilon = detail::epsilon(u.scalar_type());
    return (1 - u.clamp(epsilon, 1 - epsilon).pow(concentration0_.reciprocal())).pow(concentration1_.reciprocal());
}
Tensor Kumaraswamy::log_density(const Tensor& value) const {
    const Tensor a = concentration1_, b = concentration0_;
    return (a * b).log() + xlogy(a - 1, value) + (b - 1) * (-value.pow(a)).log1p();
}
Tensor Kumaraswamy::moment(double n) const {
    const Tensor first = 1 + n / concentration1_, b = concentration0_;
    return b * (first.lgamma() + b.lgamma() - (first + b).lgamma()).exp();
}

} // namespace reel::distributions
