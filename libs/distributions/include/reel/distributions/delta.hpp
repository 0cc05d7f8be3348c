// No randomness at all.
#pragma once

#include <reel/distributions/distribution.hpp>

namespace reel::distributions {

/// Always `param`, whose last `event_dims` dimensions (1 unless it has none) are one event. `log_prob` is +inf where
/// |value - param| < atol + rtol |param| in the whole event, else -inf, as torchrl has it.
class Delta : public Distribution {
public:
    explicit Delta(const Tensor& param, double atol = 1e-6, double rtol = 1e-6,
                   std::optional<std::int64_t> event_dims = std::nullopt,
                   std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Delta"; }
    bool has_rsample() const override { return true; }
    bool has_entropy() const override { return false; }
    const Tensor& param() const { return param_; }
    Tensor mean() const override { return param_; }
    Tensor mode() const override { return param_; }
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override { return {{"param", param_}}; }

private:
    Tensor matches(const Tensor& value) const;
    Tensor param_;
    double atol_, rtol_;
};

} // namespace reel::distributions
