#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/geometric.hpp>

#include "adopt.hpp"

namespace reel::distributions {

Geometric::Geometric(const Parameter& probs, const Parameter& logits, std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(detail::takes_logits("Geometric", probs, logits)) {
    batch_shape_ =
        detail::adopt("Geometric", validate_args_,
                      {detail::chances(from_logits_, probs, logits, given_,
                                       {"within (0, 1]", [](const Tensor& p) { return (p > 0) & (p <= 1); }})});
}
Tensor Geometric::probs() const { return from_logits_ ? given_.sigmoid() : given_; }
Tensor Geometric::logits() const { return from_logits_ ? given_ : given_.log() - (-given_).log1p(); }
Tensor Geometric::log_success() const { return from_logits_ ? logsigmoid(given_) : given_.log(); }
Tensor Geometric::log_failure() const { return from_logits_ ? logsigmoid(-given_) : (-given_).log1p(); }
Tensor Geometric::mean() const { return from_logits_ ? (-given_).exp() : given_.reciprocal() - 1; }
Tensor Geometric::mode() const { return zeros_like(given_); }
Tensor Geometric::variance() const { return mean() / probs(); }
Tensor Geometric::entropy() const {
    const Tensor certain = probs() == 1, failure = log_failure().masked_fill(certain, 0);
    return -(mean() * failure + log_success());
}
Tensor Geometric::in_support(const Tensor& value) const { return (value >= 0) & (value == value.floor()); }
Tensor Geometric::draw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    const Tensor u = rand(shape, detail::optional(generator), detail::like(given_));
    const Tensor log_u = u.clamp_min(detail::least_normal(given_.scalar_type())).log();
    return (log_u / detail::expanded(log_failure(), shape)).floor();
}
Tensor Geometric::log_density(const Tensor& value) const {
    // no failure costs nothing, even where none can happen
    return value.masked_fill(value == 0, 0) * log_failure().clamp_min(detail::least_log).masked_fill(value == 0, 0) +
           log_success();
}
Tensor Geometric::divergence(const Distribution& other) const {
    const Geometric& q = static_cast<const Geometric&>(other);
    return -entropy() - mean() * q.log_failure() - q.log_success();
}
Distribution::Named Geometric::parameters() const { return {{from_logits_ ? "logits" : "probs", given_}}; }

} // namespace reel::distributions
