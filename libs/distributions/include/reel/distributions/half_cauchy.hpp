// The half-Cauchy distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// |x| of Cauchy(0, scale): infinite mean and variance. Errors: ValueError for scales that are not positive.
class HalfCauchy : public Distribution {
public:
    explicit HalfCauchy(const Parameter& scale, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "HalfCauchy"; }
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
    Named parameters() const override { return {{"scale", scale_}}; }

private:
    Tensor scale_;
};

} // namespace reel::distributions
