// The Dirichlet distribution.
#pragma once

#include <reel/distributions/distribution.hpp>

namespace reel::distributions {

/// Points of a simplex: density proportional to the product of x_i^(c_i - 1); the last dimension of `concentration` is
/// the event. Draws have implicit gradients, once. Errors: ValueError unless all concentrations are positive.
class Dirichlet : public Distribution {
public:
    explicit Dirichlet(const Tensor& concentration, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Dirichlet"; }
    bool has_rsample() const override { return true; }
    const Tensor& concentration() const { return concentration_; }
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override; ///< NaN unless all concentrations exceed 1
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override { return {{"concentration", concentration_}}; }

private:
    Tensor log_normalizer() const;
    Tensor concentration_;
};

} // namespace reel::distributions
