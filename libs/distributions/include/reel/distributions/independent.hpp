// Batch dimensions as parts of one event.
#pragma once

#include <reel/distributions/distribution.hpp>

namespace reel::distributions {

/// The distribution `base` whose last `reinterpreted_batch_ndims` batch dimensions count as one event: log-probability,
/// entropy and divergence are summed over them. Error: ValueError when there are not that many.
class Independent : public Distribution {
public:
    Independent(DistributionPtr base, std::int64_t reinterpreted_batch_ndims,
                std::optional<bool> validate_args = std::nullopt);
    template <class D>
    requires std::is_base_of_v<Distribution, D> Independent(D base, std::int64_t reinterpreted_batch_ndims,
                                                            std::optional<bool> validate_args = std::nullopt)
        : Independent(std::make_shared<const D>(std::move(base)), reinterpreted_batch_ndims, validate_args) {}

    const char* name() const override { return "Independent"; }
    const Distribution& base_dist() const { return *base_; }
    std::int64_t reinterpreted_batch_ndims() const { return dims_; }
    bool has_rsample() const override { return base_->has_rsample(); }
    bool has_entropy() const override { return base_->has_entropy(); }
    std::pair<Tensor, Tensor> sample_and_log_prob(IntArrayRef sample_shape = {},
                                                  const Generator& generator = {}) const override;
    std::pair<Tensor, Tensor> rsample_and_log_prob(IntArrayRef sample_shape = {},
                                                   const Generator& generator = {}) const override;
    Tensor entropy() const override;
    Tensor mean() const override { return base_->mean(); }
    Tensor mode() const override { return base_->mode(); }
    Tensor variance() const override { return base_->variance(); }
    Tensor stddev() const override { return base_->stddev(); }
    Tensor deterministic_sample() const override { return base_->deterministic_sample(); }
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override;

private:
    DistributionPtr base_;
    std::int64_t dims_;
};

} // namespace reel::distributions
