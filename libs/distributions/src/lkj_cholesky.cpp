#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/special/gamma.hpp>
#include <reel/distributions/lkj_cholesky.hpp>

#include <cmath>
#include <numbers>

#include <reel/distributions/beta.hpp>
#include <reel/distributions/constraints.hpp>

#include "adopt.hpp"

namespace reel::distributions {

LKJCholesky::LKJCholesky(std::int64_t dim, const Parameter& concentration, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt("LKJCholesky", validate_args_,
                                 {{"concentration", concentration, concentration_, detail::positive}});
    REEL_CHECK_VALUE(dim >= 2, "LKJCholesky: dim is ", dim, "; expected at least 2");
    event_shape_ = {dim, dim};
}
Tensor LKJCholesky::in_support(const Tensor& value) const { return constraints::corr_cholesky().check(value); }
Tensor LKJCholesky::draw(IntArrayRef sample_shape, const Generator& generator) const {
    const TensorOptions options = detail::like(concentration_);
    // how much of row i's length 1 lies before the diagonal, and in which direction
    const Tensor offset = cat({zeros({1}, options), arange(dim() - 1, options)});
    const Tensor marginal = concentration_ + 0.5 * double(dim() - 2);
    const Tensor part =
        Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset).sample(sample_shape, generator).unsqueeze(-1);
    const Tensor normal = randn(extended_shape(sample_shape), detail::optional(generator), options).tril(-1);
    const Tensor length = normal.square().sum(-1, true).sqrt();
    const Tensor direction = (normal / length).where(length > 0, 0); // the first row has none
    const Tensor rows = part.sqrt() * direction;
    const Tensor rest = (1 - rows.square().sum(-1)).clamp_min(detail::least_normal(concentration_.scalar_type()));
    return rows + diag_embed(rest.sqrt());
}
Tensor LKJCholesky::log_density(const Tensor& value) const {
    const std::int64_t n = dim(), others = n - 1;
    const Tensor diagonal = value.diagonal(0, -2, -1).slice(-1, 1);
    const Tensor powers = double(n - 2) - arange(others, detail::like(concentration_)); // the first row has none
    const Tensor order = 2 * (concentration_ - 1).unsqueeze(-1) + powers;
    const Tensor alpha = concentration_ + 0.5 * double(others);
    const Tensor normalizer = 0.5 * double(others) * std::log(std::numbers::pi) + mvlgamma(alpha - 0.5, others) -
                              double(others) * alpha.lgamma();
    return (order * diagonal.log()).sum(-1) - normalizer;
}

} // namespace reel::distributions
