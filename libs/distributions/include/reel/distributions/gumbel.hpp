// The Gumbel distribution.
#pragma once

#include <reel/distributions/distribution.hpp>

namespace reel::distributions {

/// The largest of many: cdf exp(-exp(-(x - loc) / scale)).
/// Errors: ValueError for NaN and for scales that are not positive.
class Gumbel : public Distribution {
public:
    Gumbel(const Tensor& loc, const Tensor& scale, std::optional<bool> validate_args = std::nullopt);
    Gumbel(const Tensor& loc, double scale, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Gumbel"; }
    bool has_rsample() const override { return true; }
    const Tensor& loc() const { return loc_; }
    const Tensor& scale() const { return scale_; }
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor stddev() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor icdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override { return {{"loc", loc_}, {"scale", scale_}}; }

private:
    Tensor loc_, scale_;
};

} // namespace reel::distributions
