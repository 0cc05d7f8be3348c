// One-hot categories relaxed to points of the simplex, so that draws have gradients.
#pragma once

#include <reel/distributions/categorical.hpp>
#include <reel/distributions/transformed_distribution.hpp>

namespace reel::distributions {

/// The logarithm of a RelaxedOneHotCategorical variable. Errors: those of Categorical; ValueError for temperatures that
/// are not positive.
class ExpRelaxedCategorical : public Distribution {
public:
    ExpRelaxedCategorical(const Parameter& temperature, const Parameter& probs, const Parameter& logits = {},
                          std::optional<bool> validate_args = std::nullopt);
    ExpRelaxedCategorical(const Parameter& temperature, const Chances& c)
        : ExpRelaxedCategorical(temperature, c.probs, c.logits, c.validate_args) {}

    const char* name() const override { return "ExpRelaxedCategorical"; }
    bool has_rsample() const override { return true; }
    bool has_entropy() const override { return false; }
    const Tensor& temperature() const { return temperature_; }
    Tensor probs() const { return categorical_.probs(); }
    Tensor logits() const { return categorical_.logits(); }
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override;

private:
    Categorical categorical_;
    Tensor temperature_;
};

/// A one-hot category of `probs` or `logits` at a temperature: near a corner of the simplex for low ones (C. Maddison
/// et al., 2017; E. Jang et al., 2017). Errors: those of ExpRelaxedCategorical.
class RelaxedOneHotCategorical : public TransformedDistribution {
public:
    RelaxedOneHotCategorical(const Parameter& temperature, const Parameter& probs, const Parameter& logits = {},
                             std::optional<bool> validate_args = std::nullopt);
    RelaxedOneHotCategorical(const Parameter& temperature, const Chances& c)
        : RelaxedOneHotCategorical(temperature, c.probs, c.logits, c.validate_args) {}

    const char* name() const override { return "RelaxedOneHotCategorical"; }
    const Tensor& temperature() const { return base().temperature(); }
    Tensor probs() const { return base().probs(); }
    Tensor logits() const { return base().logits(); }
    Tensor in_support(const Tensor& value) const override;

private:
    const ExpRelaxedCategorical& base() const { return static_cast<const ExpRelaxedCategorical&>(base_dist()); }
};

} // namespace reel::distributions
