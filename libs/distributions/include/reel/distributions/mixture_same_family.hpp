// A draw from one of several distributions of one family.
#pragma once

#include <reel/distributions/categorical.hpp>

namespace reel::distributions {

/// `mixing` chooses which component of `component`, whose last batch dimension counts them, is drawn from. Gradients of
/// `log_prob` reach the parameters of both; draws have none. Errors: ValueError where the components are not as many as
/// the categories, or batches cannot be broadcast.
class MixtureSameFamily : public Distribution {
public:
    MixtureSameFamily(Categorical mixing, DistributionPtr component, std::optional<bool> validate_args = std::nullopt);
    template <class D>
    requires std::is_base_of_v<Distribution, D> MixtureSameFamily(Categorical mixing, D component,
                                                                  std::optional<bool> validate_args = std::nullopt)
        : MixtureSameFamily(std::move(mixing), std::make_shared<const D>(std::move(component)), validate_args) {}

    const char* name() const override { return "MixtureSameFamily"; }
    const Categorical& mixture_distribution() const { return mixing_; }
    const Distribution& component_distribution() const { return *component_; }
    Tensor mean() const override;
    Tensor variance() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override;

private:
    Tensor per_component(const Tensor& value) const; ///< with a dimension of components before the event's
    Tensor weighted(const Tensor& t) const;          ///< the mean over components by the mixing probabilities
    Categorical mixing_;
    DistributionPtr component_;
};

} // namespace reel::distributions
