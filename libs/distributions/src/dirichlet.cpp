#include <reel/autograd/ops/pointwise/gamma.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/distributions/dirichlet.hpp>

#include "gamma_path.hpp"
#include "support.hpp"

namespace reel::distributions {

Dirichlet::Dirichlet(const Tensor& concentration, std::optional<bool> validate_args)
    : Distribution(validate_args), concentration_(concentration) {
    detail::check_floating("Dirichlet", "concentration", concentration);
    REEL_CHECK_VALUE(concentration.dim() >= 1, "Dirichlet: concentration needs a dimension of coordinates, got shape ",
                     concentration.sizes());
    const IntArrayRef sizes = concentration_.sizes();
    batch_shape_.assign(sizes.begin(), sizes.end() - 1);
    event_shape_ = {sizes.back()};
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    detail::check_parameter("Dirichlet", "concentration", concentration, concentration > 0, "greater than 0");
}
Tensor Dirichlet::log_normalizer() const { return concentration_.lgamma().sum(-1) - concentration_.sum(-1).lgamma(); }
Tensor Dirichlet::entropy() const {
    const Tensor& c = concentration_;
    const Tensor total = c.sum(-1);
    return log_normalizer() - (double(c.size(-1)) - total) * digamma(total) - ((c - 1) * digamma(c)).sum(-1);
}
Tensor Dirichlet::mean() const { return concentration_ / concentration_.sum(-1, true); }
Tensor Dirichlet::mode() const {
    const Tensor above = (concentration_ - 1).clamp_min(0), inside = (concentration_ > 1).all(-1, true);
    const Tensor total = above.sum(-1, true).masked_fill(inside.logical_not(), 1);
    return (above / total).masked_fill(inside.logical_not(), NAN);
}
Tensor Dirichlet::variance() const {
    const Tensor total = concentration_.sum(-1, true);
    return concentration_ * (total - concentration_) / (total.square() * (total + 1));
}
Tensor Dirichlet::in_support(const Tensor& value) const {
    return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6);
}
Tensor Dirichlet::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    return detail::dirichlet(detail::expanded(concentration_, extended_shape(sample_shape)), generator);
}
Tensor Dirichlet::log_density(const Tensor& value) const {
    return xlogy(concentration_ - 1, value).sum(-1) - log_normalizer();
}
Tensor Dirichlet::divergence(const Distribution& other) const {
    const Dirichlet& q = static_cast<const Dirichlet&>(other);
    const Tensor &a = concentration_, &b = q.concentration_;
    return q.log_normalizer() - log_normalizer() + ((a - b) * (digamma(a) - digamma(a.sum(-1, true)))).sum(-1);
}

} // namespace reel::distributions
