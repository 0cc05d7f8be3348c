#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/relaxed_bernoulli.hpp>

#include <reel/distributions/transform.hpp>

#include "support.hpp"

namespace reel::distributions {

LogitRelaxedBernoulli::LogitRelaxedBernoulli(const Tensor& temperature, const Tensor& probs, const Tensor& logits,
                                             std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(logits.defined()), temperature_(temperature),
      given_(from_logits_ ? logits : probs) {
    detail::check_one_of("RelaxedBernoulli", probs, logits, false);
    detail::check_floating("RelaxedBernoulli", "temperature", temperature);
    batch_shape_ = given_.sizes().vec();
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("RelaxedBernoulli", "temperature", temperature, temperature > 0, "greater than 0");
    if (from_logits_)
        detail::check_parameter("RelaxedBernoulli", "logits", logits, logits.isnan().logical_not(), "a number");
    else detail::check_parameter("RelaxedBernoulli", "probs", probs, (probs >= 0) & (probs <= 1), "within [0, 1]");
}
Tensor LogitRelaxedBernoulli::probs() const { return from_logits_ ? given_.sigmoid() : given_; }
Tensor LogitRelaxedBernoulli::logits() const { return from_logits_ ? given_ : given_.logit(); }
Tensor LogitRelaxedBernoulli::in_support(const Tensor& value) const { return value.isnan().logical_not(); }
Tensor LogitRelaxedBernoulli::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator);
}
Tensor LogitRelaxedBernoulli::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    const double eps = detail::epsilon(given_.scalar_type());
    const Tensor u = rand(shape, detail::optional(generator), detail::like(given_)).clamp(eps, 1 - eps);
    const Tensor p = detail::expanded(probs(), shape).clamp(eps, 1 - eps);
    return (u.logit() + p.logit()) / temperature_;
}
Tensor LogitRelaxedBernoulli::log_density(const Tensor& value) const {
    const Tensor difference = logits() - value * temperature_;
    return temperature_.log() + difference + 2 * logsigmoid(-difference);
}
Distribution::Named LogitRelaxedBernoulli::parameters() const {
    return {{"temperature", temperature_}, {from_logits_ ? "logits" : "probs", given_}};
}

RelaxedBernoulli::RelaxedBernoulli(const Tensor& temperature, const Tensor& probs, const Tensor& logits,
                                   std::optional<bool> validate_args)
    : TransformedDistribution(std::make_shared<LogitRelaxedBernoulli>(temperature, probs, logits, validate_args),
                              std::make_shared<SigmoidTransform>(), validate_args) {}
Tensor RelaxedBernoulli::in_support(const Tensor& value) const { return (value >= 0) & (value <= 1); }

} // namespace reel::distributions
