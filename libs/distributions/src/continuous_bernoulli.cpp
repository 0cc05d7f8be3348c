#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/continuous_bernoulli.hpp>

#include <numbers>

#include "support.hpp"

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

ContinuousBernoulli::ContinuousBernoulli(const Tensor& probs, const Tensor& logits, std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(logits.defined()), given_(from_logits_ ? logits : probs) {
    detail::check_one_of("ContinuousBernoulli", probs, logits, false);
    batch_shape_ = given_.sizes().vec();
    if (validate_args_) {
        const NoGradGuard no_grad;
        if (from_logits_)
            detail::check_parameter("ContinuousBernoulli", "logits", logits, logits.isnan().logical_not(), "a number");
        else
            detail::check_parameter("ContinuousBernoulli", "probs", probs, (probs >= 0) & (probs <= 1),
                                    "within [0, 1]");
    }
    if (!from_logits_) given_ = kept(given_);
}
Tensor ContinuousBernoulli::probs() const { return from_logits_ ? kept(given_.sigmoid()) : given_; }
Tensor ContinuousBernoulli::logits() const { return from_logits_ ? given_ : -log_odds_against(given_); }
Tensor ContinuousBernoulli::far() const {
    const Tensor p = probs();
    return (p <= low) | (p > high);
}
Tensor ContinuousBernoulli::safe() const { return where(far(), probs(), low); }
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
    const Tensor p = safe(), inside = value.clamp(0, 1);
    const Tensor formula = (p.pow(inside) * (1 - p).pow(1 - inside) + p - 1) / (2 * p - 1);
    return where(value <= 0, 0, where(value >= 1, 1, where(far(), formula, inside)));
}
Tensor ContinuousBernoulli::icdf(const Tensor& value) const {
    const Tensor p = safe(), none = (-p).log1p();
    return where(far(), ((-p + value * (2 * p - 1)).log1p() - none) / (p.log() - none), value);
}
Tensor ContinuousBernoulli::in_support(const Tensor& value) const { return (value >= 0) & (value <= 1); }
Tensor ContinuousBernoulli::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator);
}
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
