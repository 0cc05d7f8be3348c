// The continuous Bernoulli distribution: numbers between 0 and 1.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Values x of [0, 1] with a density in proportion to probs^x (1 - probs)^(1 - x): what a Bernoulli likelihood of
/// shades of grey leaves unnormalised (G. Loaiza-Ganem, J. Cunningham, 2019). One of `probs` and `logits` is given;
/// around 1/2, where the formulas are 0 / 0, series take over. Errors: ValueError for both or neither, for
/// probabilities outside of [0, 1].
class ContinuousBernoulli : public Distribution {
public:
    explicit ContinuousBernoulli(const Parameter& probs, const Parameter& logits = {},
                                 std::optional<bool> validate_args = std::nullopt);
    explicit ContinuousBernoulli(const Chances& c) : ContinuousBernoulli(c.probs, c.logits, c.validate_args) {}
    static ContinuousBernoulli from_logits(const Tensor& logits, std::optional<bool> validate_args = std::nullopt) {
        return ContinuousBernoulli({}, logits, validate_args);
    }

    const char* name() const override { return "ContinuousBernoulli"; }
    bool has_rsample() const override { return true; }
    Tensor probs() const;
    Tensor logits() const;
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor variance() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor icdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override;

private:
    Tensor far() const;         ///< from 1/2, where the formulas hold
    Tensor near_logits() const; ///< where no formula holds, 0 elsewhere
    Tensor safe() const;        ///< `probs` there, and a number for which the formulas hold elsewhere
    Tensor log_norm() const;    ///< log of what makes the density's integral one
    bool from_logits_;
    Tensor given_;
};

} // namespace reel::distributions
