#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/relaxed_one_hot_categorical.hpp>

#include <cmath>

#include <reel/distributions/constraints.hpp>
#include <reel/distributions/transform.hpp>

#include "adopt.hpp"

namespace reel::distributions {

ExpRelaxedCategorical::ExpRelaxedCategorical(const Parameter& temperature, const Parameter& probs,
                                             const Parameter& logits, std::optional<bool> validate_args)
    : Distribution(validate_args), categorical_(probs, logits, validate_args) {
    temperature_ = temperature.tensor((probs.defined() ? probs : logits).tensor());
    detail::adopt("RelaxedOneHotCategorical", validate_args_,
                  {{"temperature", temperature_, temperature_, detail::positive}});
    batch_shape_ = categorical_.batch_shape();
    event_shape_ = {categorical_.num_events()};
}
Tensor ExpRelaxedCategorical::in_support(const Tensor& value) const { return value.isnan().logical_not().all(-1); }
Tensor ExpRelaxedCategorical::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor x = logits();
    const double eps = detail::epsilon(x.scalar_type());
    const Tensor u = rand(extended_shape(sample_shape), detail::optional(generator), detail::like(x));
    const Tensor gumbel = -(-u.clamp(eps, 1 - eps).log()).log();
    return log_softmax((x + gumbel) / temperature_, -1);
}
Tensor ExpRelaxedCategorical::log_density(const Tensor& value) const {
    const double k = double(event_shape_[0]);
    const Tensor scores = log_softmax(logits() - value * temperature_, -1).sum(-1);
    return scores + std::lgamma(k) + (k - 1) * temperature_.log();
}
Distribution::Named ExpRelaxedCategorical::parameters() const {
    return {{"temperature", temperature_}, {"probs", probs()}};
}

RelaxedOneHotCategorical::RelaxedOneHotCategorical(const Parameter& temperature, const Parameter& probs,
                                                   const Parameter& logits, std::optional<bool> validate_args)
    : TransformedDistribution(std::make_shared<ExpRelaxedCategorical>(temperature, probs, logits, validate_args),
                              std::make_shared<ExpTransform>(), validate_args) {}
Tensor RelaxedOneHotCategorical::in_support(const Tensor& value) const { return constraints::simplex().check(value); }

} // namespace reel::distributions
