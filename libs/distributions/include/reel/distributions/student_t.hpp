// Student's t-distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// loc + scale times a standard normal number over the root of Chi2(df) / df; all three are broadcast. There is no mean
/// for `df` of at most 1 (NaN); the variance is infinite up to 2, and NaN up to 1. Errors: ValueError for NaN, for `df`
/// and scales that are not positive.
class StudentT : public Distribution {
public:
    explicit StudentT(const Parameter& df, const Parameter& loc = 0.0, const Parameter& scale = 1.0,
                      std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "StudentT"; }
    bool has_rsample() const override { return true; }
    const Tensor& df() const { return df_; }
    const Tensor& loc() const { return loc_; }
    const Tensor& scale() const { return scale_; }
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override { return loc_; }
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override { return {{"df", df_}, {"loc", loc_}, {"scale", scale_}}; }

private:
    Tensor log_normalizer() const;
    Tensor df_, loc_, scale_;
};

} // namespace reel::distributions
