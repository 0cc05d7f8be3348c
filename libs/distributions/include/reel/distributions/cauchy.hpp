// The Cauchy distribution.
#pragma once

#include <reel/distributions/location_scale.hpp>

namespace reel::distributions {

/// Median `loc`, half width at half maximum `scale`; no mean (NaN), infinite variance.
/// Errors: ValueError for NaN and for scales that are not positive.
class Cauchy : public LocationScale {
public:
    Cauchy(const Parameter& loc, const Parameter& scale, std::optional<bool> validate_args = std::nullopt)
        : LocationScale("Cauchy", loc, scale, validate_args) {}

    const char* name() const override { return "Cauchy"; }
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor icdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
};

} // namespace reel::distributions
