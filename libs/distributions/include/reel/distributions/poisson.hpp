// The Poisson distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Counts of mean and variance `rate` >= 0. Errors: ValueError for negative rates.
class Poisson : public Distribution {
public:
    explicit Poisson(const Parameter& rate, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Poisson"; }
    const Tensor& rate() const { return rate_; }
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override { return {{"rate", rate_}}; }

private:
    Tensor rate_;
};

} // namespace reel::distributions
