// Bernoulli variables relaxed to numbers between 0 and 1, so that draws have gradients.
#pragma once

#include <reel/distributions/parameter.hpp>
#include <reel/distributions/transformed_distribution.hpp>

namespace reel::distributions {

/// The logit of a RelaxedBernoulli variable. Errors: ValueError for both or neither of `probs` and `logits`, for
/// probabilities outside of [0, 1], for temperatures that are not positive.
class LogitRelaxedBernoulli : public Distribution {
public:
    LogitRelaxedBernoulli(const Parameter& temperature, const Parameter& probs, const Parameter& logits = {},
                          std::optional<bool> validate_args = std::nullopt);
    LogitRelaxedBernoulli(const Parameter& temperature, const Chances& c)
        : LogitRelaxedBernoulli(temperature, c.probs, c.logits, c.validate_args) {}

    const char* name() const override { return "LogitRelaxedBernoulli"; }
    bool has_rsample() const override { return true; }
    bool has_entropy() const override { return false; }
    const Tensor& temperature() const { return temperature_; }
    Tensor probs() const;
    Tensor logits() const;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override;

private:
    bool from_logits_;
    Tensor temperature_, given_;
};

/// A Bernoulli variable of `probs` or `logits` at a temperature: near 0 and 1 for low ones (C. Maddison et al., 2017).
/// Errors: those of LogitRelaxedBernoulli.
class RelaxedBernoulli : public TransformedDistribution {
public:
    RelaxedBernoulli(const Parameter& temperature, const Parameter& probs, const Parameter& logits = {},
                     std::optional<bool> validate_args = std::nullopt);
    RelaxedBernoulli(const Parameter& temperature, const Chances& c)
        : RelaxedBernoulli(temperature, c.probs, c.logits, c.validate_args) {}

    const char* name() const override { return "RelaxedBernoulli"; }
    const Tensor& temperature() const { return base().temperature(); }
    Tensor probs() const { return base().probs(); }
    Tensor logits() const { return base().logits(); }
    Tensor in_support(const Tensor& value) const override;

private:
    const LogitRelaxedBernoulli& base() const { return static_cast<const LogitRelaxedBernoulli&>(base_dist()); }
};

} // namespace reel::distributions
