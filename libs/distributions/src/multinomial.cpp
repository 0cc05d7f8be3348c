#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/distributions/multinomial.hpp>

#include <reel/distributions/binomial.hpp>

#include "support.hpp"

namespace reel::distributions {

Multinomial::Multinomial(std::int64_t total_count, const Parameter& probs, const Parameter& logits,
                         std::optional<bool> validate_args)
    : Distribution(validate_args), total_count_(total_count), from_logits_(logits.defined()),
      given_((from_logits_ ? logits : probs).tensor()), categorical_(probs, logits, validate_args) {
    REEL_CHECK_VALUE(total_count >= 0, "Multinomial: total_count is ", total_count, ", expected at least 0");
    batch_shape_ = categorical_.batch_shape();
    event_shape_ = {categorical_.num_events()};
}
Tensor Multinomial::mean() const { return total_count_ * probs(); }
Tensor Multinomial::variance() const {
    const Tensor p = probs();
    return total_count_ * p * (1 - p);
}
Tensor Multinomial::entropy() const {
    // log n! and the categories' own entropies, plus the expectation of log x! of every count x, which is binomial
    const Tensor p = probs();
    const Binomial counts(total_count_, p, {}, false);
    const Tensor values = counts.enumerate_support(false).slice(0, 1);
    const Tensor expected =
        (counts.log_prob(values).exp() * (values + 1).lgamma()).sum(std::vector<std::int64_t>{0, -1});
    return total_count_ * categorical_.entropy() - std::lgamma(double(total_count_) + 1) + expected;
}
Tensor Multinomial::in_support(const Tensor& value) const {
    return ((value >= 0) & (value == value.floor())).all(-1) & (value.sum(-1) == total_count_);
}
Tensor Multinomial::draw(IntArrayRef sample_shape, const Generator& generator) const {
    Sizes shape{total_count_};
    shape.insert(shape.end(), sample_shape.begin(), sample_shape.end());
    const Tensor draws = categorical_.sample(shape, generator).movedim(0, -1);
    Tensor counts = given_.new_zeros(extended_shape(sample_shape));
    counts.scatter_add_(-1, draws, ones(draws.sizes(), detail::like(given_)));
    return counts;
}
Tensor Multinomial::log_density(const Tensor& value) const {
    const Tensor log_p = (value * logits()).where(value != 0, 0);
    return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + log_p.sum(-1);
}
Distribution::Named Multinomial::parameters() const { return {{from_logits_ ? "logits" : "probs", given_}}; }

} // namespace reel::distributions
