#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/nn/embedding.hpp>
#include <reel/distributions/one_hot_categorical.hpp>

#include "support.hpp"

namespace reel::distributions {

OneHotCategorical::OneHotCategorical(const Parameter& probs, const Parameter& logits, std::optional<bool> validate_args,
                                     std::optional<ScalarType> sample_dtype)
    : Distribution(validate_args), categorical_(probs, logits, validate_args, "OneHotCategorical"),
      dtype_(sample_dtype.value_or((probs.defined() ? probs : logits).tensor().scalar_type())) {
    batch_shape_ = categorical_.batch_shape();
    event_shape_ = {num_events()};
}
Tensor OneHotCategorical::encoded(const Tensor& index) const { return one_hot(index, num_events()).to(dtype_); }
Tensor OneHotCategorical::mode() const { return encoded(categorical_.mode()); }
Tensor OneHotCategorical::variance() const {
    const Tensor p = probs();
    return p * (1 - p);
}
Tensor OneHotCategorical::enumerate_support(bool expand) const {
    const std::int64_t n = num_events();
    Sizes sizes(batch_shape_.size() + 2, 1);
    sizes.front() = sizes.back() = n;
    const Tensor values = eye(n, n, TensorOptions(dtype_).device(categorical_.given_.device())).view(sizes);
    if (!expand) return values;
    std::copy(batch_shape_.begin(), batch_shape_.end(), sizes.begin() + 1);
    return values.expand(sizes);
}
Tensor OneHotCategorical::in_support(const Tensor& value) const {
    return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1);
}
Tensor OneHotCategorical::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return encoded(categorical_.draw(sample_shape, generator));
}
Tensor OneHotCategorical::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    REEL_CHECK_TYPE(isFloatingType(dtype_), "OneHotCategorical.rsample: samples are ", dtype_,
                    ", gradients need a floating sample_dtype");
    const Tensor value = sample(sample_shape, generator), p = probs();
    return value + (p - p.detach());
}
Tensor OneHotCategorical::log_density(const Tensor& value) const {
    return categorical_.log_prob_of((value.scalar_type() == kBool ? value.to(kByte) : value).argmax(-1));
}
Tensor OneHotCategorical::divergence(const Distribution& q) const {
    return categorical_.divergence(static_cast<const OneHotCategorical&>(q).categorical_);
}

} // namespace reel::distributions
