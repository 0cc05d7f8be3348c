// Shifts and scales observations.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/rl/envs/transforms/transform.hpp>

namespace reel::rl {

class EnvBase;

/// observation * scale + loc, or with `standard_normal` (observation - loc) / scale. Differentiable. Both may be set
/// later, or measured by `init_stats`; using it before is an Error.
class ObservationNorm : public Transform {
public:
    explicit ObservationNorm(Tensor loc = {}, Tensor scale = {}, std::vector<NestedKey> in_keys = {"observation"},
                             std::vector<NestedKey> out_keys = {}, bool standard_normal = false);
    std::string name() const override { return "ObservationNorm"; }
    const Tensor& loc() const { return loc_; }
    const Tensor& scale() const { return scale_; }
    bool standard_normal() const { return standard_normal_; }
    bool initialized() const { return loc_.defined(); }
    /// Measures mean and (unbiased) standard deviation, at least `eps`, of `key` (default: the only input) over
    /// `num_iter` random steps of `env`, which must not contain this transform; from then on, results have mean 0 and
    /// deviation 1 there. Error when loc and scale are known already.
    void init_stats(EnvBase& env, std::int64_t num_iter, std::optional<NestedKey> key = std::nullopt,
                    double eps = 1e-6);
    EnvSpecs transform_specs(EnvSpecs specs) const override;

protected:
    TensorDict call(TensorDict td) override;

private:
    Tensor normalized(const Tensor& value) const;
    Tensor loc_, scale_;
    std::vector<NestedKey> in_keys_, out_keys_;
    bool standard_normal_;
};

} // namespace reel::rl
