#include <reel/distributions/mixture_same_family.hpp>

#include "support.hpp"

namespace reel::distributions {

MixtureSameFamily::MixtureSameFamily(Categorical mixing, DistributionPtr component, std::optional<bool> validate_args)
    : Distribution(validate_args), mixing_(std::move(mixing)), component_(std::move(component)) {
    REEL_CHECK_VALUE(component_, "MixtureSameFamily: the component distribution is null");
    const Sizes& batch = component_->batch_shape();
    REEL_CHECK_VALUE(!batch.empty() && batch.back() == mixing_.num_events(),
                     "MixtureSameFamily: ", mixing_.num_events(), " categories for components of batch ",
                     IntArrayRef(batch), ", whose last dimension counts them");
    batch_shape_.assign(batch.begin(), batch.end() - 1);
    const Sizes common = detail::broadcast_sizes("MixtureSameFamily: mixing and component distribution",
                                                 mixing_.batch_shape(), batch_shape_);
    REEL_CHECK_VALUE(common == batch_shape_, "MixtureSameFamily: mixing distribution of batch ",
                     IntArrayRef(mixing_.batch_shape()), " for components of batch ", IntArrayRef(batch));
    event_shape_ = component_->event_shape();
}
Tensor MixtureSameFamily::per_component(const Tensor& value) const {
    return value.unsqueeze(-1 - std::int64_t(event_shape_.size()));
}
Tensor MixtureSameFamily::weighted(const Tensor& t) const {
    Tensor p = mixing_.probs();
    for (std::size_t i = 0; i < event_shape_.size(); ++i) p = p.unsqueeze(-1);
    return (p * t).sum(-1 - std::int64_t(event_shape_.size()));
}
Tensor MixtureSameFamily::mean() const { return weighted(component_->mean()); }
Tensor MixtureSameFamily::variance() const {
    // what the components vary by, and what their means do
    return weighted(component_->variance()) + weighted((component_->mean() - per_component(mean())).square());
}
Tensor MixtureSameFamily::cdf(const Tensor& value) const {
    return (component_->cdf(per_component(value)) * mixing_.probs()).sum(-1);
}
Tensor MixtureSameFamily::in_support(const Tensor& value) const {
    return component_->in_support(per_component(value)).any(-1);
}
Tensor MixtureSameFamily::draw(IntArrayRef sample_shape, const Generator& generator) const {
    Tensor chosen = mixing_.sample(sample_shape, generator);
    const Tensor all = component_->sample(sample_shape, generator);
    chosen = chosen.expand(Sizes(all.sizes().begin(), all.sizes().end() - 1 - std::int64_t(event_shape_.size())));
    const std::int64_t dim = chosen.dim();
    for (std::size_t i = 0; i <= event_shape_.size(); ++i) chosen = chosen.unsqueeze(-1);
    Sizes one = all.sizes().vec();
    one[std::size_t(dim)] = 1;
    return all.gather(dim, chosen.expand(one)).squeeze(dim);
}
Tensor MixtureSameFamily::log_density(const Tensor& value) const {
    const Tensor log_p = component_->log_prob(per_component(value));
    return (log_p + mixing_.logits()).logsumexp(-1);
}
Distribution::Named MixtureSameFamily::parameters() const { return {}; }

} // namespace reel::distributions
