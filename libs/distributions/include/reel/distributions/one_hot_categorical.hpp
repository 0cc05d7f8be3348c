// One of several categories, as a vector that marks it.
#pragma once

#include <reel/distributions/categorical.hpp>

namespace reel::distributions {

/// `Categorical` whose values are one-hot vectors: `event_shape` [K], dtype that of the parameters unless
/// `sample_dtype` names another (an action of an environment is int64). Any value of `log_prob` has one 1 and zeros.
/// `rsample` is the straight-through estimator: a one-hot draw whose gradient is that of the probabilities
/// (floating dtypes alone).
class OneHotCategorical : public Distribution {
public:
    explicit OneHotCategorical(const Parameter& probs, const Parameter& logits = {},
                               std::optional<bool> validate_args = std::nullopt,
                               std::optional<ScalarType> sample_dtype = std::nullopt);
    explicit OneHotCategorical(const Chances& c) : OneHotCategorical(c.probs, c.logits, c.validate_args) {}
    static OneHotCategorical from_logits(const Tensor& logits, std::optional<bool> validate_args = std::nullopt,
                                         std::optional<ScalarType> sample_dtype = std::nullopt) {
        return OneHotCategorical({}, logits, validate_args, sample_dtype);
    }

    const char* name() const override { return "OneHotCategorical"; }
    bool has_rsample() const override { return isFloatingType(dtype_); }
    Tensor probs() const { return categorical_.probs(); }
    Tensor logits() const { return categorical_.logits(); }
    std::int64_t num_events() const { return categorical_.num_events(); }
    Tensor entropy() const override { return categorical_.entropy(); }
    Tensor mean() const override { return probs(); }
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor enumerate_support(bool expand = true) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override { return categorical_.parameters(); }

private:
    Tensor encoded(const Tensor& index) const;
    Categorical categorical_;
    ScalarType dtype_;
};

} // namespace reel::distributions
