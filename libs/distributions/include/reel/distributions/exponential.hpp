// The exponential distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Waiting times of mean 1 / `rate`, `rate` > 0. `cdf` and `icdf` keep their digits near zero.
/// Errors: ValueError for rates that are not positive.
class Exponential : public Distribution {
public:
    explicit Exponential(const Parameter& rate, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Exponential"; }
    bool has_rsample() const override { return true; }
    const Tensor& rate() const { return rate_; }
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
    Named parameters() const override { return {{"rate", rate_}}; }

private:
    Tensor rate_;
};

} // namespace reel::distributions
