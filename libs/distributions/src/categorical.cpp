#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/random/sampling.hpp>
#include <reel/distributions/categorical.hpp>

#include "adopt.hpp"

namespace reel::distributions {

Categorical::Categorical(const Parameter& probs, const Parameter& logits, std::optional<bool> validate_args,
                         const char* name)
    : Distribution(validate_args), from_logits_(detail::takes_logits(name, probs, logits)) {
    const Tensor given = detail::rows_of_chances(name, from_logits_, probs, logits);
    if (from_logits_) {
        given_ = log_softmax(given, -1);
        // NaN comes of NaN, of +inf and of rows that are -inf throughout
        if (validate_args_)
            detail::check_parameter(name, "logits", given, given_.isnan().logical_not(),
                                    "below infinity in a row with a finite one");
    } else {
        given_ = given;
        total_ = given.sum(-1, true);
        if (validate_args_)
            detail::check_parameter(name, "probs", given, (given >= 0) & given.isfinite() & (total_ > 0),
                                    "a finite, non-negative number in a row with a positive sum");
    }
    const IntArrayRef sizes = given_.sizes();
    batch_shape_.assign(sizes.begin(), sizes.end() - 1);
}

Tensor Categorical::probs() const { return from_logits_ ? given_.exp() : given_ / total_; }
Tensor Categorical::logits() const {
    if (from_logits_) return given_;
    const Tensor never = given_ == 0; // log and its slope stay away from zero
    return (given_.masked_fill(never, 1).log() - total_.log()).masked_fill(never, -INFINITY);
}
Tensor Categorical::entropy() const {
    if (from_logits_) return -(given_.exp() * given_.clamp_min(detail::least_log)).sum(-1);
    const Tensor p = probs();
    return -(p * p.clamp_min(detail::least_normal(p.scalar_type())).log()).sum(-1);
}
Tensor Categorical::mode() const { return given_.argmax(-1); }
Tensor Categorical::cdf(const Tensor& value) const {
    check_value(value);
    const Tensor sums = probs().cumsum(-1);
    const std::vector<std::int64_t> sizes =
        detail::broadcast_sizes("Categorical.cdf: values and batch", value.sizes(), batch_shape_);
    std::vector<std::int64_t> wide = sizes;
    wide.push_back(num_events());
    return detail::expanded(sums, wide).gather(-1, detail::expanded(value.to(kLong), sizes).unsqueeze(-1)).squeeze(-1);
}
Tensor Categorical::enumerate_support(bool expand) const {
    std::vector<std::int64_t> sizes(batch_shape_.size() + 1, 1);
    sizes[0] = num_events();
    const Tensor values = arange(num_events(), TensorOptions(kLong).device(given_.device())).view(sizes);
    if (!expand) return values;
    std::copy(batch_shape_.begin(), batch_shape_.end(), sizes.begin() + 1);
    return values.expand(sizes);
}
Tensor Categorical::in_support(const Tensor& value) const {
    const Tensor inside = (value >= 0) & (value < num_events());
    return value.is_floating_point() ? inside & (value == value.floor()) : inside;
}

Tensor Categorical::draw(IntArrayRef sample_shape, const Generator& generator) const {
    const Sizes shape = extended_shape(sample_shape);
    std::int64_t n = 1, rows = 1;
    for (const std::int64_t size : sample_shape) n *= size;
    for (const std::int64_t size : batch_shape_) rows *= size;
    if (n == 0 || rows == 0) return given_.new_empty(shape, kLong);
    const Tensor drawn =
        multinomial(probs().reshape({rows, num_events()}), n, true, detail::optional(generator)); // [rows, n]
    return n == 1 ? drawn.reshape(shape) : drawn.t().reshape(shape);
}
Tensor Categorical::log_prob_of(const Tensor& index) const {
    Tensor at = index.scalar_type() == kLong ? index : index.to(kLong), table = given_;
    if (!at.sizes().equals(batch_shape_)) {
        Sizes sizes = detail::broadcast_sizes("Categorical.log_prob: values and batch", at.sizes(), batch_shape_);
        at = detail::expanded(at, sizes);
        sizes.push_back(num_events());
        table = detail::expanded(table, sizes);
    }
    const Tensor chosen = table.gather(-1, at.unsqueeze(-1)).squeeze(-1);
    return from_logits_ ? chosen : chosen.log() - total_.squeeze(-1).log();
}
Tensor Categorical::log_density(const Tensor& value) const { return log_prob_of(value); }
Tensor Categorical::divergence(const Distribution& other) const {
    const Categorical& q = static_cast<const Categorical&>(other);
    REEL_CHECK_VALUE(num_events() == q.num_events(), "kl_divergence: Categorical distributions of ", num_events(),
                     " and ", q.num_events(), " categories");
    const Tensor p = probs();
    return (p * (logits() - q.logits()).where(p > 0, 0)).sum(-1);
}
Distribution::Named Categorical::parameters() const { return {{from_logits_ ? "logits" : "probs", given_}}; }

} // namespace reel::distributions
