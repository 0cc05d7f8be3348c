// The beta distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// On (0, 1), density x^(a - 1) (1 - x)^(b - 1) / B(a, b) with a = `concentration1`, b = `concentration0`. Draws have
/// implicit gradients, once. Errors: ValueError for parameters that are not positive.
class Beta : public Distribution {
public:
    Beta(const Parameter& concentration1, const Parameter& concentration0,
         std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Beta"; }
    bool has_rsample() const override { return true; }
    const Tensor& concentration1() const { return concentration1_; }
    const Tensor& concentration0() const { return concentration0_; }
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override {
        return {{"concentration1", concentration1_}, {"concentration0", concentration0_}};
    }

private:
    Tensor log_beta() const;
    Tensor concentration1_, concentration0_;
};

} // namespace reel::distributions
