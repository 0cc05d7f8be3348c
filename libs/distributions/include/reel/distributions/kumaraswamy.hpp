// The Kumaraswamy distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// On (0, 1), cdf 1 - (1 - x^a)^b with a = `concentration1`, b = `concentration0`.
/// Errors: ValueError for parameters that are not positive.
class Kumaraswamy : public Distribution {
public:
    Kumaraswamy(const Parameter& concentration1, const Parameter& concentration0,
                std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Kumaraswamy"; }
    bool has_rsample() const override { return true; }
    const Tensor& concentration1() const { return concentration1_; }
    const Tensor& concentration0() const { return concentration0_; }
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
    Named parameters() const override {
        return {{"concentration1", concentration1_}, {"concentration0", concentration0_}};
    }

private:
    Tensor moment(double n) const;
    Tensor concentration1_, concentration0_;
};

} // namespace reel::distributions
