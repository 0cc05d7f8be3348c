#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/random/sampling.hpp>
#include <reel/distributions/bernoulli.hpp>

#include "adopt.hpp"

namespace reel::distributions {

Bernoulli::Bernoulli(const Parameter& probs, const Parameter& logits, std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(detail::takes_logits("Bernoulli", probs, logits)) {
    batch_shape_ = detail::adopt("Bernoulli", validate_args_,
                                 {detail::chances(from_logits_, probs, logits, given_, detail::a_probability)});
}
Tensor Bernoulli::probs() const { return from_logits_ ? given_.sigmoid() : given_; }
Tensor Bernoulli::logits() const { return from_logits_ ? given_ : given_.log() - (-given_).log1p(); }
Tensor Bernoulli::entropy() const {
    if (from_logits_) {
        const Tensor x = given_.clamp(detail::least_log, -detail::least_log);
        return -(x.sigmoid() * logsigmoid(x) + (-x).sigmoid() * logsigmoid(-x));
    }
    // logarithms and their slopes stay away from zero; the factors make up for it
    const Tensor log_one = given_.clamp_min(detail::least_normal(given_.scalar_type())).log();
    const Tensor log_zero = (-given_.clamp_max(1 - detail::epsilon(given_.scalar_type()) / 2)).log1p();
    return -(given_ * log_one + (1 - given_) * log_zero);
}
Tensor Bernoulli::mode() const {
    const Tensor p = probs();
    return (p > 0.5).to(p.scalar_type()).masked_fill(p == 0.5, NAN);
}
Tensor Bernoulli::deterministic_sample() const {
    const Tensor p = probs();
    return (p >= 0.5).to(p.scalar_type());
}
Tensor Bernoulli::variance() const {
    return from_logits_ ? given_.sigmoid() * (-given_).sigmoid() : given_ * (1 - given_);
}
Tensor Bernoulli::enumerate_support(bool expand) const {
    Sizes sizes(batch_shape_.size() + 1, 1);
    sizes[0] = 2;
    const Tensor values = arange(2, detail::like(given_)).view(sizes);
    if (!expand) return values;
    std::copy(batch_shape_.begin(), batch_shape_.end(), sizes.begin() + 1);
    return values.expand(sizes);
}
Tensor Bernoulli::in_support(const Tensor& value) const { return (value == 0) | (value == 1); }
Tensor Bernoulli::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return bernoulli(detail::expanded(probs(), extended_shape(sample_shape)), detail::optional(generator));
}
Tensor Bernoulli::log_density(const Tensor& value) const {
    const Tensor one = value == 1;
    if (from_logits_) return logsigmoid(where(one, given_, -given_));
    // each logarithm sees a harmless number where the other one counts
    return where(one, given_, 1).log() + (-where(one, 0, given_)).log1p();
}
Tensor Bernoulli::log_likelihood(bool one) const {
    if (from_logits_) return logsigmoid(one ? given_ : -given_);
    const Tensor never = given_ == (one ? 0 : 1), p = given_.masked_fill(never, 0.5);
    return (one ? p.log() : (-p).log1p()).masked_fill(never, -INFINITY);
}
Tensor Bernoulli::divergence(const Distribution& other) const {
    const Bernoulli& q = static_cast<const Bernoulli&>(other);
    Tensor sum;
    for (const bool one : {true, false}) {
        const Tensor p = from_logits_ ? (one ? given_ : -given_).sigmoid() : one ? given_ : 1 - given_;
        const Tensor part = p * where(p > 0, log_likelihood(one) - q.log_likelihood(one), 0);
        sum = sum.defined() ? sum + part : part;
    }
    return sum;
}
Distribution::Named Bernoulli::parameters() const { return {{from_logits_ ? "logits" : "probs", given_}}; }

} // namespace reel::distributions
