// The normal distribution.
#pragma once

#include <reel/distributions/distribution.hpp>

namespace reel::distributions {

/// Normal with mean `loc` and standard deviation `scale` > 0, which are broadcast; every element is an event of its
/// own. `log_prob` never squares the scale, so scales down to the least number are exact; `cdf` keeps its digits in the
/// lower tail. Errors: ValueError for NaN and for scales that are not positive.
class Normal : public Distribution {
public:
    Normal(const Tensor& loc, const Tensor& scale, std::optional<bool> validate_args = std::nullopt);
    Normal(const Tensor& loc, double scale, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Normal"; }
    bool has_rsample() const override { return true; }
    const Tensor& loc() const { return loc_; }
    const Tensor& scale() const { return scale_; }
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
    Named parameters() const override { return {{"loc", loc_}, {"scale", scale_}}; }
    friend class TanhNormal;

private:
    Tensor loc_, scale_;
};

} // namespace reel::distributions
