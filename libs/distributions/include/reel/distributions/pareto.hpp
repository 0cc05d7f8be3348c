// The Pareto distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Values of at least `scale`, density falling with the power `alpha` + 1; mean and variance are infinite for `alpha`
/// of at most 1 and 2. Errors: ValueError for parameters that are not positive.
class Pareto : public Distribution {
public:
    Pareto(const Parameter& scale, const Parameter& alpha, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Pareto"; }
    bool has_rsample() const override { return true; }
    const Tensor& scale() const { return scale_; }
    const Tensor& alpha() const { return alpha_; }
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
    Named parameters() const override { return {{"scale", scale_}, {"alpha", alpha_}}; }

private:
    Tensor scale_, alpha_;
};

} // namespace reel::distributions
