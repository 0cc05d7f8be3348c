// The uniform distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Uniform between `low` (included) and `high` > `low` (excluded), which are broadcast; every element is an event of
/// its own. Errors: ValueError for NaN and where `high` is not above `low`.
class Uniform : public Distribution {
public:
    Uniform(const Parameter& low, const Parameter& high, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Uniform"; }
    bool has_rsample() const override { return true; }
    const Tensor& low() const { return low_; }
    const Tensor& high() const { return high_; }
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
    Named parameters() const override { return {{"low", low_}, {"high", high_}}; }

private:
    Tensor low_, high_;
};

} // namespace reel::distributions
