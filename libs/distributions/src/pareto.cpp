#include <reel/distributions/pareto.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

Pareto::Pareto(const Parameter& scale, const Parameter& alpha, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ =
        detail::adopt("Pareto", validate_args_,
                      {{"scale", scale, scale_, detail::positive}, {"alpha", alpha, alpha_, detail::positive}});
}
Tensor Pareto::entropy() const { return (scale_ / alpha_).log() + (1 + alpha_.reciprocal()); }
Tensor Pareto::mean() const {
    const Tensor a = alpha_.where(alpha_ > 1, 2);
    return (a * scale_ / (a - 1)).masked_fill(alpha_ <= 1, INFINITY);
}
Tensor Pareto::mode() const { return scale_; }
Tensor Pareto::variance() const {
    const Tensor a = alpha_.where(alpha_ > 2, 3);
    return (scale_.square() * a / ((a - 1).square() * (a - 2))).masked_fill(alpha_ <= 2, INFINITY);
}
Tensor Pareto::cdf(const Tensor& value) const {
    check_value(value);
    return -(alpha_ * (scale_.log() - value.log())).expm1();
}
Tensor Pareto::icdf(const Tensor& value) const { return scale_ * (-(-value).log1p() / alpha_).exp(); }
Tensor Pareto::in_support(const Tensor& value) const { return value >= scale_; }
Tensor Pareto::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    Tensor e = detail::draw_memory(extended_shape(sample_shape), scale_);
    e.exponential_(1, detail::optional(generator));
    return scale_ * (e / alpha_).exp();
}
Tensor Pareto::log_density(const Tensor& value) const {
    return alpha_.log() + alpha_ * scale_.log() - (alpha_ + 1) * value.log();
}
Tensor Pareto::divergence(const Distribution& other) const {
    const Pareto& q = static_cast<const Pareto&>(other);
    const Tensor scale_ratio = scale_ / q.scale_, alpha_ratio = q.alpha_ / alpha_;
    const Tensor kl = q.alpha_ * scale_ratio.log() - alpha_ratio.log() + alpha_ratio - 1;
    return kl.masked_fill(scale_ < q.scale_, INFINITY);
}

} // namespace reel::distributions
