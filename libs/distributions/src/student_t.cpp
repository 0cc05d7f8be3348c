#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/student_t.hpp>

#include <numbers>

#include "gamma_path.hpp"
#include "support.hpp"

namespace reel::distributions {

StudentT::StudentT(const Tensor& df, std::optional<bool> validate_args)
    : StudentT(df, detail::number(0, df), df.defined() ? ones({}, detail::like(df)) : Tensor(), validate_args) {}
StudentT::StudentT(const Tensor& df, const Tensor& loc, const Tensor& scale, std::optional<bool> validate_args)
    : Distribution(validate_args), df_(df), loc_(loc), scale_(scale) {
    detail::check_floating("StudentT", "df", df);
    detail::check_floating("StudentT", "loc", loc);
    detail::check_floating("StudentT", "scale", scale);
    detail::broadcast_pair("StudentT: df and loc", df_, loc_);
    detail::broadcast_pair("StudentT: df and scale", df_, scale_);
    loc_ = detail::expanded(loc_, df_.sizes());
    batch_shape_ = df_.sizes().vec();
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("StudentT", "df", df, df > 0, "greater than 0");
    detail::check_parameter("StudentT", "loc", loc, loc.isnan().logical_not(), "a number");
    detail::check_parameter("StudentT", "scale", scale, scale > 0, "greater than 0");
}
Tensor StudentT::log_normalizer() const {
    return scale_.log() + 0.5 * df_.log() + 0.5 * std::log(std::numbers::pi) + (0.5 * df_).lgamma() -
           (0.5 * (df_ + 1)).lgamma();
}
Tensor StudentT::entropy() const {
    const Tensor half = 0.5 * (df_ + 1);
    return half * (digamma(half) - digamma(0.5 * df_)) + log_normalizer();
}
Tensor StudentT::mean() const { return loc_.masked_fill(df_ <= 1, NAN); }
Tensor StudentT::variance() const {
    const Tensor known = df_.where(df_ > 2, 3);
    const Tensor v = scale_.square() * known / (known - 2);
    return v.masked_fill(df_ <= 2, INFINITY).masked_fill(df_ <= 1, NAN);
}
Tensor StudentT::in_support(const Tensor& value) const { return value.isnan().logical_not(); }
Tensor StudentT::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator);
}
Tensor StudentT::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    const Tensor normal = randn(shape, detail::optional(generator), detail::like(df_));
    const Tensor chi2 = (detail::standard_gamma(detail::expanded(0.5 * df_, shape), generator) / 0.5)
                            .clamp_min(detail::least_normal(df_.scalar_type()));
    return loc_ + scale_ * normal * (chi2 / df_).rsqrt();
}
Tensor StudentT::log_density(const Tensor& value) const {
    const Tensor z = (value - loc_) / scale_;
    return -0.5 * (df_ + 1) * (z.square() / df_).log1p() - log_normalizer();
}

} // namespace reel::distributions
