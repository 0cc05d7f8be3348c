#include <reel/distributions/independent.hpp>

#include "support.hpp"

namespace reel::distributions {

Independent::Independent(DistributionPtr base, std::int64_t reinterpreted_batch_ndims,
                         std::optional<bool> validate_args)
    : Distribution(validate_args), base_(std::move(base)), dims_(reinterpreted_batch_ndims) {
    REEL_CHECK_VALUE(base_, "Independent: the base distribution is null");
    const Sizes& batch = base_->batch_shape();
    REEL_CHECK_VALUE(dims_ >= 0 && dims_ <= std::int64_t(batch.size()), "Independent: reinterpreted_batch_ndims is ",
                     dims_, ", expected 0 to ", batch.size(), ", the dimensions of the batch ", IntArrayRef(batch),
                     " of ", base_->name());
    const auto cut = batch.end() - dims_;
    batch_shape_.assign(batch.begin(), cut);
    event_shape_.assign(cut, batch.end());
    event_shape_.insert(event_shape_.end(), base_->event_shape().begin(), base_->event_shape().end());
}
std::pair<Tensor, Tensor> Independent::sample_and_log_prob(IntArrayRef sample_shape, const Generator& generator) const {
    auto [value, log_p] = base_->sample_and_log_prob(sample_shape, generator);
    return {value, detail::sum_rightmost(log_p, dims_)};
}
std::pair<Tensor, Tensor> Independent::rsample_and_log_prob(IntArrayRef sample_shape,
                                                            const Generator& generator) const {
    auto [value, log_p] = base_->rsample_and_log_prob(sample_shape, generator);
    return {value, detail::sum_rightmost(log_p, dims_)};
}
Tensor Independent::entropy() const { return detail::sum_rightmost(base_->entropy(), dims_); }
Tensor Independent::in_support(const Tensor& value) const {
    return detail::all_rightmost(base_->in_support(value), dims_);
}
Tensor Independent::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return base_->sample(sample_shape, generator);
}
Tensor Independent::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    return base_->rsample(sample_shape, generator);
}
Tensor Independent::log_density(const Tensor& value) const {
    return detail::sum_rightmost(base_->log_density(value), dims_);
}
Tensor Independent::divergence(const Distribution& other) const {
    const Independent& q = static_cast<const Independent&>(other);
    REEL_CHECK_NOT_IMPLEMENTED(dims_ == q.dims_, "kl_divergence: Independent distributions over ", dims_, " and ",
                               q.dims_, " batch dimensions");
    return detail::sum_rightmost(kl_divergence(*base_, *q.base_), dims_);
}
Distribution::Named Independent::parameters() const { return base_->parameters(); }

} // namespace reel::distributions
