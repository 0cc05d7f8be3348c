// The von Mises distribution: angles around a direction.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Angles with the density exp(concentration cos(x - loc)) / (2 pi I0(concentration)), modulo 2 pi; `mean` and
/// `variance` are the circular ones. Draws lie in [-pi, pi) (D. J. Best, N. I. Fisher, 1979) and have no gradient.
/// Errors: ValueError for NaN and for concentrations that are not positive.
class VonMises : public Distribution {
public:
    VonMises(const Parameter& loc, const Parameter& concentration, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "VonMises"; }
    bool has_entropy() const override { return false; }
    const Tensor& loc() const { return loc_; }
    const Tensor& concentration() const { return concentration_; }
    Tensor mean() const override { return loc_; }
    Tensor mode() const override { return loc_; }
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override { return {{"loc", loc_}, {"concentration", concentration_}}; }

private:
    Tensor loc_, concentration_;
};

} // namespace reel::distributions
