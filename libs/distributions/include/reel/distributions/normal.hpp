// The normal distribution.
#pragma once

#include <reel/distributions/location_scale.hpp>

namespace reel::distributions {

/// Normal with mean `loc` and standard deviation `scale` > 0, which are broadcast; every element is an event of its
/// own. `log_prob` never squares the scale, so scales down to the least number are exact; `cdf` keeps its digits in the
/// lower tail. Errors: ValueError for NaN and for scales that are not positive.
class Normal : public LocationScale {
public:
    Normal(const Parameter& loc, const Parameter& scale, std::optional<bool> validate_args = std::nullopt)
        : LocationScale("Normal", loc, scale, validate_args) {}

    const char* name() const override { return "Normal"; }
    Tensor entropy() const override;
    Tensor mean() const override { return loc_; }
    Tensor mode() const override { return loc_; }
    Tensor variance() const override;
    Tensor stddev() const override { return scale_; }
    Tensor cdf(const Tensor& value) const override;
    Tensor icdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    friend class TanhNormal;
};

} // namespace reel::distributions
