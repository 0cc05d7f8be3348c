#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/gumbel.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Tensor Gumbel::entropy() const { return scale_.log() + (1 + std::numbers::egamma); }
Tensor Gumbel::mean() const { return loc_ + scale_ * std::numbers::egamma; }
Tensor Gumbel::mode() const { return loc_; }
Tensor Gumbel::variance() const { return stddev().square(); }
Tensor Gumbel::stddev() const { return (std::numbers::pi / std::sqrt(6.0)) * scale_; }
Tensor Gumbel::cdf(const Tensor& value) const {
    check_value(value);
    return (-((loc_ - value) / scale_).exp()).exp();
}
Tensor Gumbel::icdf(const Tensor& value) const { return loc_ - scale_ * (-value.log()).log(); }
Tensor Gumbel::in_support(const Tensor& value) const { return value.isnan().logical_not(); }
Tensor Gumbel::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    // over (0, 1), without its ends
    const double least = detail::least_normal(loc_.scalar_type()), most = 1 - detail::epsilon(loc_.scalar_type());
    const Tensor r = rand(extended_shape(sample_shape), detail::optional(generator), detail::like(loc_));
    return loc_ - scale_ * (-(least + r * (most - least)).log()).log();
}
Tensor Gumbel::log_density(const Tensor& value) const {
    const Tensor y = (loc_ - value) / scale_;
    return y - y.exp() - scale_.log();
}
Tensor Gumbel::divergence(const Distribution& other) const {
    const Gumbel& q = static_cast<const Gumbel&>(other);
    const Tensor ratio = scale_ / q.scale_, shift = (q.loc_ - loc_) / q.scale_;
    return -ratio.log() - shift + std::numbers::egamma * (ratio - 1) + (shift + (1 + ratio).lgamma()).exp() - 1;
}

} // namespace reel::distributions
