#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/random/distributions.hpp>
#include <reel/distributions/negative_binomial.hpp>

#include "adopt.hpp"
#include "gamma_path.hpp"

namespace reel::distributions {

NegativeBinomial::NegativeBinomial(const Parameter& total_count, const Parameter& probs, const Parameter& logits,
                                   std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(detail::takes_logits("NegativeBinomial", probs, logits)) {
    batch_shape_ =
        detail::adopt("NegativeBinomial", validate_args_,
                      {{"total_count", total_count, total_count_, detail::not_negative, true},
                       detail::chances(from_logits_, probs, logits, given_,
                                       {"within [0, 1)", [](const Tensor& p) { return (p >= 0) & (p < 1); }})});
}
Tensor NegativeBinomial::probs() const { return from_logits_ ? given_.sigmoid() : given_; }
Tensor NegativeBinomial::logits() const { return from_logits_ ? given_ : given_.log() - (-given_).log1p(); }
Tensor NegativeBinomial::odds() const { return from_logits_ ? given_.exp() : given_ / (1 - given_); }
Tensor NegativeBinomial::mean() const { return total_count_ * odds(); }
Tensor NegativeBinomial::mode() const { return ((total_count_ - 1) * odds()).floor().clamp_min(0); }
Tensor NegativeBinomial::variance() const { return mean() * (1 + odds()); }
Tensor NegativeBinomial::in_support(const Tensor& value) const { return (value >= 0) & (value == value.floor()); }
Tensor NegativeBinomial::draw(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor rate = 1 / odds();
    const Tensor means =
        detail::standard_gamma(detail::expanded(total_count_, extended_shape(sample_shape)), generator) / rate;
    return poisson(means, detail::optional(generator));
}
Tensor NegativeBinomial::log_density(const Tensor& value) const {
    const Tensor fails = from_logits_ ? logsigmoid(-given_) : (-given_).log1p();
    const Tensor none = value == 0; // certain failure is no reason for NaN
    const Tensor successes =
        from_logits_ ? where(none, 0, value * logsigmoid(where(none, 0, given_))) : xlogy(value, given_);
    const Tensor together = total_count_ + value;
    const Tensor ways = together.lgamma() - (1 + value).lgamma() - total_count_.lgamma();
    return total_count_ * fails + successes + ways.masked_fill(together == 0, 0);
}
Distribution::Named NegativeBinomial::parameters() const {
    return {{"total_count", total_count_}, {from_logits_ ? "logits" : "probs", given_}};
}

} // namespace reel::distributions
