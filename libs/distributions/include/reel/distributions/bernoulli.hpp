// Yes or no.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// 1 with probability `probs` = sigmoid(`logits`), one of which is given, else 0; floating dtype, as PyTorch has it.
/// Infinite logits and probabilities of 0 and 1 give exact results. Values are 0 or 1.
/// Errors: ValueError for both or neither, for probabilities outside [0, 1].
class Bernoulli : public Distribution {
public:
    explicit Bernoulli(const Parameter& probs, const Parameter& logits = {},
                       std::optional<bool> validate_args = std::nullopt);
    explicit Bernoulli(const Chances& c) : Bernoulli(c.probs, c.logits, c.validate_args) {}
    static Bernoulli from_logits(const Tensor& logits, std::optional<bool> validate_args = std::nullopt) {
        return Bernoulli({}, logits, validate_args);
    }

    const char* name() const override { return "Bernoulli"; }
    Tensor probs() const;
    Tensor logits() const;
    Tensor entropy() const override;
    Tensor mean() const override { return probs(); }
    /// The likelier of both; NaN where they are equally likely.
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor deterministic_sample() const override; ///< the mode, 1 where both are equally likely
    Tensor enumerate_support(bool expand = true) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override;

private:
    Tensor log_likelihood(bool one) const; ///< of 1 or of 0
    bool from_logits_;
    Tensor given_;
};

} // namespace reel::distributions
