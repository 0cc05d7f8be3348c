// The half-normal distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// |x| of Normal(0, scale). Errors: ValueError for scales that are not positive.
class HalfNormal : public Distribution {
public:
    explicit HalfNormal(const Parameter& scale, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "HalfNormal"; }
    bool has_rsample() const override { return true; }
    const Tensor& scale() const { return scale_; }
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
    Named parameters() const override { return {{"scale", scale_}}; }

private:
    Tensor scale_;
};

} // namespace reel::distributions
