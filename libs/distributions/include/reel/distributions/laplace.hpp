// The Laplace distribution.
#pragma once

#include <reel/distributions/location_scale.hpp>

namespace reel::distributions {

/// Density exp(-|x - loc| / scale) / (2 scale). `cdf` keeps its digits in the lower tail.
/// Errors: ValueError for NaN and for scales that are not positive.
class Laplace : public LocationScale {
public:
    Laplace(const Parameter& loc, const Parameter& scale, std::optional<bool> validate_args = std::nullopt)
        : LocationScale("Laplace", loc, scale, validate_args) {}

    const char* name() const override { return "Laplace"; }
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor stddev() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor icdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
};

} // namespace reel::distributions
