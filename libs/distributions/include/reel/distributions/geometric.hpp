// Failures before the first success.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// How many trials fail before the first succeeds, each with probability `probs` = sigmoid(`logits`), one of which is
/// given: 0, 1, 2, ... Errors: ValueError for both or neither, for probabilities outside (0, 1].
class Geometric : public Distribution {
public:
    explicit Geometric(const Parameter& probs, const Parameter& logits = {},
                       std::optional<bool> validate_args = std::nullopt);
    explicit Geometric(const Chances& c) : Geometric(c.probs, c.logits, c.validate_args) {}
    static Geometric from_logits(const Tensor& logits, std::optional<bool> validate_args = std::nullopt) {
        return Geometric({}, logits, validate_args);
    }

    const char* name() const override { return "Geometric"; }
    Tensor probs() const;
    Tensor logits() const;
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override;

private:
    Tensor log_success() const;
    Tensor log_failure() const; ///< -inf for a probability of 1
    bool from_logits_;
    Tensor given_;
};

} // namespace reel::distributions
