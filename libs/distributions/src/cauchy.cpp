#include <reel/autograd/ops/factory/like.hpp>
#include <reel/distributions/cauchy.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Tensor Cauchy::entropy() const { return scale_.log() + std::log(4 * std::numbers::pi); }
Tensor Cauchy::mean() const { return full_like(loc_, NAN); }
Tensor Cauchy::mode() const { return loc_; }
Tensor Cauchy::variance() const { return full_like(loc_, INFINITY); }
Tensor Cauchy::cdf(const Tensor& value) const {
    check_value(value);
    return ((value - loc_) / scale_).atan() / std::numbers::pi + 0.5;
}
Tensor Cauchy::icdf(const Tensor& value) const { return (std::numbers::pi * (value - 0.5)).tan() * scale_ + loc_; }
Tensor Cauchy::in_support(const Tensor& value) const { return value.isnan().logical_not(); }
Tensor Cauchy::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    Tensor c = detail::draw_memory(extended_shape(sample_shape), loc_);
    c.cauchy_(0, 1, detail::optional(generator));
    return loc_ + c * scale_;
}
Tensor Cauchy::log_density(const Tensor& value) const {
    return -std::log(std::numbers::pi) - scale_.log() - ((value - loc_) / scale_).square().log1p();
}
Tensor Cauchy::divergence(const Distribution& other) const {
    const Cauchy& q = static_cast<const Cauchy&>(other);
    // Chyzak and Nielsen, "A closed-form formula for the Kullback-Leibler divergence between Cauchy distributions"
    // (2019)
    const Tensor spread = (scale_ + q.scale_).square() + (loc_ - q.loc_).square();
    return spread.log() - (4 * scale_ * q.scale_).log();
}

} // namespace reel::distributions
