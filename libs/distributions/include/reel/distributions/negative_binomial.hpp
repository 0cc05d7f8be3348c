// Successes until there are so many failures.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// The number of successes, each with chance `probs` (or logarithm of odds `logits`; one of the two is given), before
/// `total_count` failures, which need not be whole. Values are natural numbers of the parameters' dtype. Errors:
/// ValueError for both or neither, for a negative count, for probabilities outside of [0, 1).
class NegativeBinomial : public Distribution {
public:
    NegativeBinomial(const Parameter& total_count, const Parameter& probs, const Parameter& logits = {},
                     std::optional<bool> validate_args = std::nullopt);
    NegativeBinomial(const Parameter& total_count, const Chances& c)
        : NegativeBinomial(total_count, c.probs, c.logits, c.validate_args) {}

    const char* name() const override { return "NegativeBinomial"; }
    bool has_entropy() const override { return false; }
    const Tensor& total_count() const { return total_count_; }
    Tensor probs() const;
    Tensor logits() const;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override;

private:
    Tensor odds() const; ///< of success
    bool from_logits_;
    Tensor total_count_, given_;
};

} // namespace reel::distributions
