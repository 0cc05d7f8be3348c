#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/student_t.hpp>

#include <numbers>

#include "adopt.hpp"
#include "gamma_path.hpp"

namespace reel::distributions {

StudentT::StudentT(const Parameter& df, const Parameter& loc, const Parameter& scale, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt("StudentT", validate_args_,
                                 {{"df", df, df_, detail::positive},
                                  {"loc", loc, loc_, detail::a_number},
                                  {"scale", scale, scale_, detail::positive}});
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
