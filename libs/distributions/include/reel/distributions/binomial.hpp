// Successes among a number of trials.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// How many of `total_count` trials succeed, each with probability `probs` = sigmoid(`logits`), one of which is given;
/// counts and probabilities are broadcast. `entropy` and `enumerate_support` need one common count.
/// Errors: ValueError for both or neither, for counts that are no natural numbers, probabilities outside [0, 1].
class Binomial : public Distribution {
public:
    Binomial(const Parameter& total_count, const Parameter& probs, const Parameter& logits = {},
             std::optional<bool> validate_args = std::nullopt);
    Binomial(const Parameter& total_count, const Chances& c)
        : Binomial(total_count, c.probs, c.logits, c.validate_args) {}

    const char* name() const override { return "Binomial"; }
    const Tensor& total_count() const { return total_count_; }
    Tensor probs() const;
    Tensor logits() const;
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor enumerate_support(bool expand = true) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override;

private:
    std::int64_t common_count(const char* what) const;
    bool from_logits_;
    Tensor total_count_, given_;
};

} // namespace reel::distributions
