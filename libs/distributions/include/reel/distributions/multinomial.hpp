// How often each category comes.
#pragma once

#include <reel/distributions/categorical.hpp>

namespace reel::distributions {

/// Counts of K categories among `total_count` draws, which sum to it; the last dimension of `probs` or `logits`, one of
/// which is given, counts the categories and is the event. Errors: those of Categorical, ValueError for a negative
/// count.
class Multinomial : public Distribution {
public:
    Multinomial(std::int64_t total_count, const Parameter& probs, const Parameter& logits = {},
                std::optional<bool> validate_args = std::nullopt);
    Multinomial(std::int64_t total_count, const Chances& c)
        : Multinomial(total_count, c.probs, c.logits, c.validate_args) {}

    const char* name() const override { return "Multinomial"; }
    std::int64_t total_count() const { return total_count_; }
    Tensor probs() const { return categorical_.probs(); }
    Tensor logits() const { return categorical_.logits(); }
    Tensor entropy() const override; ///< summed over the counts that each category can have
    Tensor mean() const override;
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override;

private:
    std::int64_t total_count_;
    bool from_logits_;
    Tensor given_;
    Categorical categorical_;
};

} // namespace reel::distributions
