// One of several categories.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// One of K categories, each element of a batch with probabilities of its own. The last dimension of `probs` (which are
/// divided by their sum) or `logits` (unnormalised logarithms; -inf means never) counts the categories; one of the two
/// is given. Values are int64 of `batch_shape`, without a trailing dimension.
///
/// `log_prob` of a category that never comes is -inf, and no other's gradient is hurt by it. The gradient of `entropy`
/// by a probability of zero, truly infinite, is that by the least normal number.
/// Errors: ValueError for both or neither, for negative or non-finite `probs`, for rows without any chance.
class Categorical : public Distribution {
public:
    explicit Categorical(const Parameter& probs, const Parameter& logits = {},
                         std::optional<bool> validate_args = std::nullopt)
        : Categorical(probs, logits, validate_args, "Categorical") {}
    explicit Categorical(const Chances& c) : Categorical(c.probs, c.logits, c.validate_args) {}
    static Categorical from_logits(const Tensor& logits, std::optional<bool> validate_args = std::nullopt) {
        return Categorical({}, logits, validate_args);
    }
    static Categorical from_probs(const Tensor& probs, std::optional<bool> validate_args = std::nullopt) {
        return Categorical(probs, {}, validate_args);
    }

    const char* name() const override { return "Categorical"; }
    std::int64_t num_events() const { return given_.size(-1); }
    Tensor probs() const;  ///< sums to one
    Tensor logits() const; ///< logarithms of `probs`
    Tensor entropy() const override;
    Tensor mode() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor enumerate_support(bool expand = true) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Categorical(const Parameter& probs, const Parameter& logits, std::optional<bool> validate_args, const char* name);
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override;
    Tensor log_prob_of(const Tensor& index) const;
    friend class OneHotCategorical;

private:
    bool from_logits_;
    Tensor given_; ///< as it was given
    Tensor total_; ///< logsumexp of the logits, or the sum of the probabilities; keeps its dimension
};

} // namespace reel::distributions
