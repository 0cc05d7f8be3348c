#include <reel/distributions/laplace.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Tensor Laplace::entropy() const { return 1 + (2 * scale_).log(); }
Tensor Laplace::mean() const { return loc_; }
Tensor Laplace::mode() const { return loc_; }
Tensor Laplace::variance() const { return 2 * scale_.square(); }
Tensor Laplace::stddev() const { return std::numbers::sqrt2 * scale_; }
Tensor Laplace::cdf(const Tensor& value) const {
    check_value(value);
    const Tensor z = (value - loc_) / scale_, tail = 0.5 * (-z.abs()).exp();
    return tail.where(z < 0, 1 - tail);
}
Tensor Laplace::icdf(const Tensor& value) const {
    const Tensor centred = value - 0.5;
    return loc_ - scale_ * centred.sign() * (-2 * centred.abs()).log1p();
}
Tensor Laplace::in_support(const Tensor& value) const { return value.isnan().logical_not(); }
Tensor Laplace::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    // over (-1, 1), without -1 itself, whose logarithm would be infinite
    Tensor u = detail::draw_memory(extended_shape(sample_shape), loc_);
    u.uniform_(detail::epsilon(loc_.scalar_type()) - 1, 1, detail::optional(generator));
    return loc_ - scale_ * u.sign() * (-u.abs()).log1p();
}
Tensor Laplace::log_density(const Tensor& value) const { return -(2 * scale_).log() - ((value - loc_) / scale_).abs(); }
Tensor Laplace::divergence(const Distribution& other) const {
    const Laplace& q = static_cast<const Laplace&>(other);
    const Tensor ratio = scale_ / q.scale_, distance = (loc_ - q.loc_).abs();
    return -ratio.log() + distance / q.scale_ + ratio * (-distance / scale_).exp() - 1;
}

} // namespace reel::distributions
