// The inverse gamma distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// 1 / x of Gamma(concentration, rate): the conjugate prior of a normal's variance. Mean and variance are infinite for
/// concentrations of at most 1 and 2. Errors: ValueError for parameters that are not positive.
class InverseGamma : public Distribution {
public:
    InverseGamma(const Parameter& concentration, const Parameter& rate,
                 std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "InverseGamma"; }
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
