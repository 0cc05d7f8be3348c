// The Weibull distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// `scale` times an exponential draw to the power 1 / `concentration`.
/// Errors: ValueError for parameters that are not positive.
class Weibull : public Distribution {
public:
    Weibull(const Parameter& scale, const Parameter& concentration, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Weibull"; }
    bool has_rsample() const override { return true; }
    const Tensor& scale() const { return scale_; }
    const Tensor& concentration() const { return concentration_; }
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
    Named parameters() const override { return {{"scale", scale_}, {"concentration", concentration_}}; }

private:
    Tensor scale_, concentration_;
};

} // namespace reel::distributions
