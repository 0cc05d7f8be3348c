#include <reel/distributions/fisher_snedecor.hpp>

#include "adopt.hpp"
#include "gamma_path.hpp"

namespace reel::distributions {

FisherSnedecor::FisherSnedecor(const Parameter& df1, const Parameter& df2, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt("FisherSnedecor", validate_args_,
                                 {{"df1", df1, df1_, detail::positive}, {"df2", df2, df2_, detail::positive}});
}
Tensor FisherSnedecor::mean() const {
    const Tensor df2 = df2_.masked_fill(df2_ <= 2, NAN);
    return df2 / (df2 - 2);
}
Tensor FisherSnedecor::mode() const { return ((df1_ - 2) / df1_ * df2_ / (df2_ + 2)).masked_fill(df1_ <= 2, NAN); }
Tensor FisherSnedecor::variance() const {
    const Tensor df2 = df2_.masked_fill(df2_ <= 4, NAN);
    return 2 * df2.square() * (df1_ + df2 - 2) / (df1_ * (df2 - 2).square() * (df2 - 4));
}
Tensor FisherSnedecor::in_support(const Tensor& value) const { return value > 0; }
Tensor FisherSnedecor::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    const double tiny = detail::least_normal(df1_.scalar_type());
    const Tensor above = detail::standard_gamma(detail::expanded(0.5 * df1_, shape), generator) / df1_;
    const Tensor below = detail::standard_gamma(detail::expanded(0.5 * df2_, shape), generator) / df2_;
    return (above / below.clamp_min(tiny)).clamp_min(tiny);
}
Tensor FisherSnedecor::log_density(const Tensor& value) const {
    const Tensor a = 0.5 * df1_, b = 0.5 * df2_, ratio = df1_ / df2_;
    return (a + b).lgamma() - a.lgamma() - b.lgamma() + a * ratio.log() + (a - 1) * value.log() -
           (a + b) * (ratio * value).log1p();
}

} // namespace reel::distributions
