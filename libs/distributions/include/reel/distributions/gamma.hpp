// The gamma distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Density rate^c x^(c - 1) exp(-rate x) / Gamma(c) with c = `concentration`. Draws have implicit gradients by the
/// concentration, once. Errors: ValueError for parameters that are not positive.
class Gamma : public Distribution {
public:
    Gamma(const Parameter& concentration, const Parameter& rate, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Gamma"; }
    bool has_rsample() const override { return true; }
    const Tensor& concentration() const { return concentration_; }
    const Tensor& rate() const { return rate_; }
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override { return {{"concentration", concentration_}, {"rate", rate_}}; }

private:
    Tensor concentration_, rate_;
};

} // namespace reel::distributions
