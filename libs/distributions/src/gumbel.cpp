#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/gumbel.hpp>

#include <numbers>

#include "support.hpp"

namespace reel::distributions {

Gumbel::Gumbel(const Tensor& loc, double scale, std::optional<bool> validate_args)
    : Gumbel(loc, detail::number(scale, loc), validate_args) {}
Gumbel::Gumbel(const Tensor& loc, const Tensor& scale, std::optional<bool> validate_args)
    : Distribution(validate_args), loc_(loc), scale_(scale) {
    detail::check_floating("Gumbel", "loc", loc);
    detail::check_floating("Gumbel", "scale", scale);
    detail::broadcast_pair("Gumbel: loc and scale", loc_, scale_);
    batch_shape_ = loc_.sizes().vec();
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("Gumbel", "loc", loc, loc.isnan().logical_not(), "a number");
    detail::check_parameter("Gumbel", "scale", scale, scale > 0, "greater than 0");
}
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
Tensor Gumbel::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator);
}
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
