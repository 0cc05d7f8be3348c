#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/continuous_bernoulli.hpp>

#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

namespace {
constexpr double low = 0.499, high = 0.501; ///< the series' range
Tensor kept(const Tensor& probs) {
    const double eps = detail::epsilon(probs.scalar_type());
    return probs.clamp(eps, 1 - eps);
}
/// log(1 - p) - log(p)
Tensor log_odds_against(const Tensor& p) { return (-p).log1p() - p.log(); }
} // namespace

ContinuousBernoulli::ContinuousBernoulli(const Parameter& probs, const Parameter& logits,
                                         std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(detail::takes_logits("ContinuousBernoulli", probs, logits)) {
    batch_shape_ = detail::adopt("ContinuousBernoulli", validate_args_,
                                 {detail::chances(from_logits_, probs, logits, given_, detail::a_probability)});
    if (!from_logits_) given_ = kept(given_);
}
Tensor ContinuousBernoulli::probs() const { return from_logits_ ? kept(given_.sigmoid()) : given_; }
Tensor ContinuousBernoulli::logits() const { return from_logits_ ? given_ : -log_odds_against(given_); }
Tensor ContinuousBernoulli::far() const {
    const Tensor p = probs();
    return (p <= low) | (p > high);
}
Tensor ContinuousBernoulli::safe() const { return where(far(), probs(), low); }
Tensor ContinuousBernoulli::near_logits() const {
    const Tensor p = probs();
    return where(far(), 0, -log_odds_against(where(far(), 0.5, p)));
}
Tensor ContinuousBernoulli::log_norm() const {
    const Tensor p = safe(), x = (probs() - 0.5).square();
    const Tensor formula = log_odds_against(p).abs().log() - (1 - 2 * p).abs().log();
    const Tensor series = std::numbers::ln2 + (4.0 / 3 + 104.0 / 45 * x) * x;
    return where(far(), formula, series);
}
Tensor ContinuousBernoulli::mean() const {
    const Tensor p = safe(), x = probs() - 0.5;
    return where(far(), p / (2 * p - 1) + 1 / log_odds_against(p), 0.5 + (1.0 / 3 + 16.0 / 45 * x.square()) * x);
}
Tensor ContinuousBernoulli::variance() const {
    const Tensor p = safe(), x = (probs() - 0.5).square();
    const Tensor formula = p * (p - 1) / (1 - 2 * p).square() + 1 / log_odds_against(p).square();
    return where(far(), formula, 1.0 / 12 - (1.0 / 15 - 128.0 / 945 * x) * x);
}
Tensor ContinuousBernoulli::entropy() const {
    const Tensor p = probs();
    return mean() * log_odds_against(p) - log_norm() - (-p).log1p();
}
Tensor ContinuousBernoulli::cdf(const Tensor& value) const {
    check_value(value);
    const Tensor p = safe(), x = value.clamp(0, 1);
    const Tensor formula = (p.pow(x) * (1 - p).pow(1 - x) + p - 1) / (2 * p - 1);
    // expm1(l x) / expm1(l) by powers of the logit l, where x moves between 0 and 1
    const Tensor l = near_logits(), y = x * (x - 1);
    const Tensor series = x + y * (l / 2 + l.square() * (2 * x - 1) / 12 + l.pow(3) * y / 24);
    return where(value <= 0, 0, where(value >= 1, 1, where(far(), formula, series)));
}
Tensor ContinuousBernoulli::icdf(const Tensor& value) const {
    const Tensor p = safe(), none = (-p).log1p();
    // log1p(u expm1(l)) / l by powers of the logit l: the cumulants of a Bernoulli variable of probability u
    const Tensor l = near_logits(), v = value * (1 - value);
    const Tensor series = value + v * (l / 2 + l.square() * (1 - 2 * value) / 6 + l.pow(3) * (1 - 6 * v) / 24);
    return where(far(), ((-p + value * (2 * p - 1)).log1p() - none) / (p.log() - none), series);
}
Tensor ContinuousBernoulli::in_support(const Tensor& value) const { return (value >= 0) & (value <= 1); }
Tensor ContinuousBernoulli::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    return icdf(rand(extended_shape(sample_shape), detail::optional(generator), detail::like(given_)));
}
Tensor ContinuousBernoulli::log_density(const Tensor& value) const {
    const Tensor x = logits(); // of a one, minus what all values have
    return value * x + logsigmoid(-x) + log_norm();
}
Tensor ContinuousBernoulli::divergence(const Distribution& other) const {
    const auto& q = static_cast<const ContinuousBernoulli&>(other);
    return mean() * (logits() - q.logits()) + log_norm() + (-probs()).log1p() - q.log_norm() - (-q.probs()).log1p();
}
Distribution::Named ContinuousBernoulli::parameters() const { return {{from_logits_ ? "logits" : "probs", given_}}; }

} // namespace reel::distributions
