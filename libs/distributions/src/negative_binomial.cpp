#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/random/distributions.hpp>
#include <reel/distributions/negative_binomial.hpp>

#include "gamma_path.hpp"
#include "support.hpp"

namespace reel::distributions {

NegativeBinomial::NegativeBinomial(double total_count, const Tensor& probs, const Tensor& logits,
                                   std::optional<bool> validate_args)
    : NegativeBinomial(detail::number(total_count, logits.defined() ? logits : probs), probs, logits, validate_args) {}
NegativeBinomial::NegativeBinomial(const Tensor& total_count, const Tensor& probs, const Tensor& logits,
                                   std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(logits.defined()), total_count_(total_count),
      given_(from_logits_ ? logits : probs) {
    detail::check_one_of("NegativeBinomial", probs, logits, false);
    REEL_CHECK_VALUE(total_count.defined(), "NegativeBinomial: total_count is undefined");
    total_count_ = total_count.to(given_.scalar_type());
    detail::broadcast_pair("NegativeBinomial: total_count and the probabilities", total_count_, given_);
    batch_shape_ = given_.sizes().vec();
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("NegativeBinomial", "total_count", total_count_, total_count_ >= 0, "at least 0");
    if (from_logits_)
        detail::check_parameter("NegativeBinomial", "logits", logits, logits.isnan().logical_not(), "a number");
    else detail::check_parameter("NegativeBinomial", "probs", probs, (probs >= 0) & (probs < 1), "within [0, 1)");
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
        from_logits_ ? (value * logsigmoid(given_.masked_fill(none, 0))).masked_fill(none, 0) : xlogy(value, given_);
    const Tensor together = total_count_ + value;
    const Tensor ways = together.lgamma() - (1 + value).lgamma() - total_count_.lgamma();
    return total_count_ * fails + successes + ways.masked_fill(together == 0, 0);
}
Distribution::Named NegativeBinomial::parameters() const {
    return {{"total_count", total_count_}, {from_logits_ ? "logits" : "probs", given_}};
}

} // namespace reel::distributions
