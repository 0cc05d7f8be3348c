#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/random/distributions.hpp>
#include <reel/distributions/binomial.hpp>

#include "adopt.hpp"

namespace reel::distributions {

Binomial::Binomial(const Parameter& total_count, const Parameter& probs, const Parameter& logits,
                   std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(detail::takes_logits("Binomial", probs, logits)) {
    batch_shape_ = detail::adopt("Binomial", validate_args_,
                                 {{"total_count",
                                   total_count,
                                   total_count_,
                                   {"a natural number", [](const Tensor& t) { return (t >= 0) & (t == t.floor()); }},
                                   true},
                                  detail::chances(from_logits_, probs, logits, given_, detail::a_probability)});
}
std::int64_t Binomial::common_count(const char* what) const {
    const NoGradGuard no_grad;
    if (total_count_.numel() == 0) return 0;
    const Tensor most = total_count_.max();
    REEL_CHECK_NOT_IMPLEMENTED((total_count_ == most).all().item<bool>(), "Binomial.", what,
                               ": the batch has several total_counts; expected one for all");
    return std::int64_t(most.item<double>());
}
Tensor Binomial::probs() const { return from_logits_ ? given_.sigmoid() : given_; }
Tensor Binomial::logits() const { return from_logits_ ? given_ : given_.log() - (-given_).log1p(); }
Tensor Binomial::mean() const { return total_count_ * probs(); }
Tensor Binomial::mode() const { return ((total_count_ + 1) * probs()).floor().min(total_count_); }
Tensor Binomial::variance() const {
    return total_count_ * (from_logits_ ? given_.sigmoid() * (-given_).sigmoid() : given_ * (1 - given_));
}
Tensor Binomial::entropy() const {
    common_count("entropy");
    const Tensor log_p = log_density(enumerate_support(true));
    return -(log_p.exp() * log_p.clamp_min(detail::least_log)).sum(0);
}
Tensor Binomial::enumerate_support(bool expand) const {
    Sizes sizes(batch_shape_.size() + 1, 1);
    sizes[0] = 1 + common_count("enumerate_support");
    const Tensor values = arange(sizes[0], detail::like(given_)).view(sizes);
    if (!expand) return values;
    std::copy(batch_shape_.begin(), batch_shape_.end(), sizes.begin() + 1);
    return values.expand(sizes);
}
Tensor Binomial::in_support(const Tensor& value) const {
    return (value >= 0) & (value <= total_count_) & (value == value.floor());
}
Tensor Binomial::draw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    return binomial(detail::expanded(total_count_, shape), detail::expanded(probs(), shape),
                    detail::optional(generator));
}
Tensor Binomial::log_density(const Tensor& value) const {
    const Tensor ways = (total_count_ + 1).lgamma() - (value + 1).lgamma() - (total_count_ - value + 1).lgamma();
    const Tensor rest = total_count_ - value;
    if (!from_logits_) return ways + xlogy(value, given_) + special::xlog1py(rest, -given_);
    const auto weighted = [](const Tensor& n, const Tensor& log_p) { return (n * log_p).masked_fill(n == 0, 0); };
    return ways + weighted(value, logsigmoid(given_)) + weighted(rest, logsigmoid(-given_));
}
Tensor Binomial::divergence(const Distribution& other) const {
    const Binomial& q = static_cast<const Binomial&>(other);
    const Tensor p = probs(), other_p = q.probs();
    const Tensor one =
        xlogy(p, p) - xlogy(p, other_p) + special::xlog1py(1 - p, -p) - special::xlog1py(1 - p, -other_p);
    const NoGradGuard no_grad;
    REEL_CHECK_NOT_IMPLEMENTED((total_count_ >= q.total_count_).all().item<bool>(),
                               "kl_divergence: Binomial of fewer trials than the other has no closed form");
    return (total_count_ * one).masked_fill(total_count_ > q.total_count_, INFINITY);
}
Distribution::Named Binomial::parameters() const {
    return {{"total_count", total_count_}, {from_logits_ ? "logits" : "probs", given_}};
}

} // namespace reel::distributions
