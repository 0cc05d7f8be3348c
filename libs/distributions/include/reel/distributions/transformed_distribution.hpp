// What a distribution becomes under a bijection.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/transform.hpp>

namespace reel::distributions {

/// f(x) for x of `base`. Events of the transform widen those of the base. `cdf` and `icdf` need an elementwise
/// monotone transform. Errors: ValueError for a null base, and a transform over more dimensions than the base has.
class TransformedDistribution : public Distribution {
public:
    TransformedDistribution(DistributionPtr base, TransformPtr transform,
                            std::optional<bool> validate_args = std::nullopt);
    /// One after the other.
    TransformedDistribution(DistributionPtr base, std::vector<TransformPtr> transforms,
                            std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "TransformedDistribution"; }
    bool has_rsample() const override { return base_->has_rsample(); }
    bool has_entropy() const override { return false; }
    const Distribution& base_dist() const { return *base_; }
    const Transform& transform() const { return *transform_; }
    std::pair<Tensor, Tensor> sample_and_log_prob(IntArrayRef sample_shape = {},
                                                  const Generator& generator = {}) const override;
    std::pair<Tensor, Tensor> rsample_and_log_prob(IntArrayRef sample_shape = {},
                                                   const Generator& generator = {}) const override;
    Tensor cdf(const Tensor& value) const override;
    Tensor icdf(const Tensor& value) const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override; ///< between two of one transform: that of the bases
    Named parameters() const override { return {}; }

private:
    Tensor log_density_of(const Tensor& x, const Tensor& y) const;
    int sign_for(const char* what) const;
    DistributionPtr base_;
    TransformPtr transform_;
};

} // namespace reel::distributions
