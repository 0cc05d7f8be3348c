#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/relaxed_bernoulli.hpp>

#include <reel/distributions/transform.hpp>

#include "adopt.hpp"

namespace reel::distributions {

LogitRelaxedBernoulli::LogitRelaxedBernoulli(const Parameter& temperature, const Parameter& probs,
                                             const Parameter& logits, std::optional<bool> validate_args)
    : Distribution(validate_args), from_logits_(detail::takes_logits("RelaxedBernoulli", probs, logits)) {
    batch_shape_ = detail::adopt("RelaxedBernoulli", validate_args_,
                                 {detail::chances(from_logits_, probs, logits, given_, detail::a_probability)});
    temperature_ = temperature.tensor(given_); // keeps its shape: it is that of all elements
    detail::adopt("RelaxedBernoulli", validate_args_, {{"temperature", temperature_, temperature_, detail::positive}});
}
Tensor LogitRelaxedBernoulli::probs() const { return from_logits_ ? given_.sigmoid() : given_; }
Tensor LogitRelaxedBernoulli::logits() const { return from_logits_ ? given_ : given_.logit(); }
Tensor LogitRelaxedBernoulli::in_support(const Tensor& value) const { return value.isnan().logical_not(); }
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

RelaxedBernoulli::RelaxedBernoulli(const Parameter& temperature, const Parameter& probs, const Parameter& logits,
                                   std::optional<bool> validate_args)
    : TransformedDistribution(std::make_shared<LogitRelaxedBernoulli>(temperature, probs, logits, validate_args),
                              std::make_shared<SigmoidTransform>(), validate_args) {}
Tensor RelaxedBernoulli::in_support(const Tensor& value) const { return (value >= 0) & (value <= 1); }

} // namespace reel::distributions
