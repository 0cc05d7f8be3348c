#include <reel/distributions/transformed_distribution.hpp>

#include <reel/autograd/random.hpp>

#include "support.hpp"

namespace reel::distributions {

TransformedDistribution::TransformedDistribution(DistributionPtr base, std::vector<TransformPtr> transforms,
                                                 std::optional<bool> validate_args)
    : TransformedDistribution(std::move(base), std::make_shared<const ComposeTransform>(std::move(transforms)),
                              validate_args) {}
TransformedDistribution::TransformedDistribution(DistributionPtr base, TransformPtr transform,
                                                 std::optional<bool> validate_args)
    : Distribution(validate_args), base_(std::move(base)), transform_(std::move(transform)) {
    REEL_CHECK_VALUE(base_, "TransformedDistribution: the base distribution is null");
    REEL_CHECK_VALUE(transform_, "TransformedDistribution: the transform is null");
    Sizes sizes = base_->batch_shape();
    sizes.insert(sizes.end(), base_->event_shape().begin(), base_->event_shape().end());
    const std::int64_t event = std::max(std::int64_t(base_->event_shape().size()), transform_->event_dim());
    REEL_CHECK_VALUE(event <= std::int64_t(sizes.size()), "TransformedDistribution: ", transform_->name(), " acts on ",
                     event, " dimensions, but the base distribution ", base_->name(), " has the shape ",
                     IntArrayRef(sizes));
    if (transform_->event_dim() > 0) { // which may change its size
        const NoGradGuard no_grad;
        sizes = (*transform_)(base_->sample({}, reel::detail::createCPUGenerator())).sizes().vec();
    }
    batch_shape_.assign(sizes.begin(), sizes.end() - event);
    event_shape_.assign(sizes.end() - event, sizes.end());
}
std::pair<Tensor, Tensor> TransformedDistribution::sample_and_log_prob(IntArrayRef sample_shape,
                                                                       const Generator& generator) const {
    const Tensor x = base_->sample(sample_shape, generator);
    const Tensor y = (*transform_)(x);
    return {y.detach(), log_density_of(x, y)};
}
std::pair<Tensor, Tensor> TransformedDistribution::rsample_and_log_prob(IntArrayRef sample_shape,
                                                                        const Generator& generator) const {
    const Tensor x = base_->rsample(sample_shape, generator);
    const Tensor y = (*transform_)(x);
    return {y, log_density_of(x, y)};
}
int TransformedDistribution::sign_for(const char* what) const {
    const std::optional<int> sign = transform_->sign();
    REEL_CHECK_NOT_IMPLEMENTED(sign && transform_->event_dim() == 0, "TransformedDistribution.", what, ": ",
                               transform_->name(), " is not monotone in every element");
    return *sign;
}
Tensor TransformedDistribution::cdf(const Tensor& value) const {
    const int sign = sign_for("cdf");
    check_value(value);
    const Tensor p = base_->cdf(transform_->inverse(value));
    return sign > 0 ? p : 1 - p;
}
Tensor TransformedDistribution::icdf(const Tensor& value) const {
    return (*transform_)(base_->icdf(sign_for("icdf") > 0 ? value : 1 - value));
}
Tensor TransformedDistribution::in_support(const Tensor& value) const {
    const Tensor inside = transform_->in_codomain(value);
    return detail::all_rightmost(inside, std::int64_t(event_shape_.size()) - transform_->event_dim());
}
Tensor TransformedDistribution::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return (*transform_)(base_->sample(sample_shape, generator));
}
Tensor TransformedDistribution::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    return (*transform_)(base_->rsample(sample_shape, generator));
}
Tensor TransformedDistribution::log_density_of(const Tensor& x, const Tensor& y) const {
    const std::int64_t event = std::int64_t(event_shape_.size());
    const Tensor stretch =
        detail::sum_rightmost(transform_->log_abs_det_jacobian(x, y), event - transform_->event_dim());
    const Tensor base = detail::sum_rightmost(base_->log_prob(x), event - std::int64_t(base_->event_shape().size()));
    return base - stretch;
}
Tensor TransformedDistribution::log_density(const Tensor& value) const {
    return log_density_of(transform_->inverse(value), value);
}
Tensor TransformedDistribution::divergence(const Distribution& other) const {
    const auto& q = static_cast<const TransformedDistribution&>(other);
    REEL_CHECK_NOT_IMPLEMENTED(transform_ == q.transform_,
                               "kl_divergence: TransformedDistribution of two transforms has no closed form; expected "
                               "both to share one");
    const Tensor kl = kl_divergence(*base_, *q.base_);
    return detail::sum_rightmost(kl, std::int64_t(event_shape_.size()) - std::int64_t(base_->event_shape().size()));
}

} // namespace reel::distributions
