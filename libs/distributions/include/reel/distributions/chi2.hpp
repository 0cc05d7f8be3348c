// The chi-squared distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// The sum of the squares of `df` standard normal numbers, `df` > 0. Errors: ValueError otherwise.
class Chi2 : public Distribution {
public:
    explicit Chi2(const Parameter& df, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Chi2"; }
    bool has_rsample() const override { return true; }
    const Tensor& df() const { return df_; }
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override { return {{"df", df_}}; }

private:
    Tensor df_;
};

} // namespace reel::distributions
