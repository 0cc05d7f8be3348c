// A normal draw squashed into an interval.
#pragma once

#include <reel/distributions/normal.hpp>
#include <reel/nn/options.hpp>

namespace reel::distributions {

struct TanhNormalOptions {
    /// Bounds of the values, broadcast with the parameters; undefined: -1 and 1.
    REEL_ARG(Tensor, low);
    REEL_ARG(Tensor, high);
    /// With `tanh_loc` the mean of the normal distribution is upscale * tanh(loc / upscale).
    REEL_ARG(bool, tanh_loc) = false;
    REEL_ARG(double, upscale) = 5.0;
    /// Trailing dimensions that make up one action; by default 1 (0 for parameters without dimensions).
    REEL_ARG(std::optional<std::int64_t>, event_dims);
    /// Keeps tanh(x) from -1 and 1 by the dtype's decimal resolution (1e-6 in float32, 1e-15 in float64), so that every
    /// sample has a finite log-probability. Gradients of samples use the kept value.
    REEL_ARG(bool, safe_tanh) = true;
    REEL_ARG(std::optional<bool>, validate_args);
};

/// low + (high - low) * (tanh(x) + 1) / 2 where x is Normal(loc, scale): the policy of continuous control (Haarnoja et
/// al., "Soft Actor-Critic", 2018). The logarithm of tanh's slope is computed from x as 2 (log 2 - x - softplus(-2x)),
/// which loses no digits in saturation; `sample_and_log_prob` uses the x that was drawn, `log_prob` has to invert tanh.
/// There is no closed form of entropy, mean and variance. `mode` solves x = loc + 2 scale^2 tanh(x) and has a gradient;
/// `deterministic_sample` is tanh(loc) within the bounds.
/// Errors: ValueError for NaN, scales that are not positive, `high` not above `low`.
class TanhNormal : public Distribution {
public:
    TanhNormal(const Parameter& loc, const Parameter& scale, const TanhNormalOptions& options = {});

    const char* name() const override { return "TanhNormal"; }
    bool has_rsample() const override { return true; }
    bool has_entropy() const override { return false; }
    const Tensor& loc() const { return normal_.loc(); } ///< of the normal distribution, after `tanh_loc`
    const Tensor& scale() const { return normal_.scale(); }
    const Tensor& low() const { return low_; }
    const Tensor& high() const { return high_; }
    std::pair<Tensor, Tensor> sample_and_log_prob(IntArrayRef sample_shape = {},
                                                  const Generator& generator = {}) const override;
    std::pair<Tensor, Tensor> rsample_and_log_prob(IntArrayRef sample_shape = {},
                                                   const Generator& generator = {}) const override;
    Tensor entropy() const override;
    Tensor mode() const override;
    Tensor deterministic_sample() const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override { return {{"loc", loc()}, {"scale", scale()}}; }

private:
    Tensor squashed(const Tensor& x) const;
    Tensor unsquashed(const Tensor& value) const;
    Tensor log_density_of_preimage(const Tensor& x) const;
    Normal normal_;
    Tensor low_, high_, middle_, half_;
    double limit_; ///< of |tanh(x)|
    bool scaled_;  ///< the bounds are not -1 and 1
    std::int64_t event_dims_;
};

} // namespace reel::distributions
