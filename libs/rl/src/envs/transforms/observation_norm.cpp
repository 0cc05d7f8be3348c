#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/variance.hpp>
#include <reel/rl/envs/transforms/observation_norm.hpp>

#include <reel/rl/envs/env_base.hpp>
#include <reel/rl/specs/bounded.hpp>
#include <reel/rl/specs/unbounded.hpp>

#include "envs/transforms/keys.hpp"

namespace reel::rl {

ObservationNorm::ObservationNorm(Tensor loc, Tensor scale, std::vector<NestedKey> in_keys,
                                 std::vector<NestedKey> out_keys, bool standard_normal)
    : loc_(std::move(loc)), scale_(std::move(scale)), in_keys_(std::move(in_keys)), standard_normal_(standard_normal) {
    out_keys_ = detail::out_keys_for("ObservationNorm", in_keys_, std::move(out_keys));
    REEL_CHECK_VALUE(loc_.defined() == scale_.defined(), "ObservationNorm: expected both loc and scale, or none; ",
                     loc_.defined() ? "scale" : "loc", " is undefined");
}

Tensor ObservationNorm::normalized(const Tensor& value) const {
    REEL_CHECK(initialized(), "ObservationNorm: loc and scale are not known yet; give them to it, or call init_stats");
    return standard_normal_ ? reel::div(reel::sub(value, loc_), scale_) : reel::add(reel::mul(value, scale_), loc_);
}
TensorDict ObservationNorm::call(TensorDict td) {
    for (std::size_t i = 0; i < in_keys_.size(); ++i) td.set(out_keys_[i], normalized(td[in_keys_[i]]));
    return td;
}

EnvSpecs ObservationNorm::transform_specs(EnvSpecs specs) const {
    for (std::size_t i = 0; i < in_keys_.size(); ++i) {
        const TensorSpec spec = specs.observation[in_keys_[i]];
        const std::string kind = spec.name();
        if (kind != "Bounded" || !initialized()) {
            const ScalarType dtype = isFloatingType(spec.dtype()) ? spec.dtype() : kFloat;
            specs.observation.set(out_keys_[i], Unbounded(IntArrayRef(spec.shape()), dtype));
            continue;
        }
        const Tensor a = normalized(spec.low()).detach(), b = normalized(spec.high()).detach();
        specs.observation.set(out_keys_[i], Bounded(reel::minimum(a, b), reel::maximum(a, b)));
    }
    return specs;
}

void ObservationNorm::init_stats(EnvBase& env, std::int64_t num_iter, std::optional<NestedKey> key, double eps) {
    REEL_CHECK(!initialized(), "ObservationNorm.init_stats: loc and scale are known already");
    REEL_CHECK_VALUE(num_iter >= 2, "ObservationNorm.init_stats: expected at least 2 steps, got num_iter ", num_iter);
    REEL_CHECK_VALUE(key || in_keys_.size() == 1, "ObservationNorm.init_stats: expected a key, as there are ",
                     in_keys_.size(), " in_keys");
    const NestedKey& measured = key ? *key : in_keys_[0];
    const std::size_t event = env.observation_spec()[measured].shape().size() - env.batch_size().size();
    const TensorDict steps = env.rollout(num_iter, {}, RolloutOptions().break_when_any_done(false));
    const Tensor seen = steps[measured];
    const Tensor rows = seen.is_floating_point() ? seen : seen.to(kFloat);
    const Tensor flat = event == 0 ? rows.reshape({-1}) : rows.flatten(0, rows.dim() - 1 - std::int64_t(event));
    const Tensor mean = reel::mean(flat, {0}), deviation = reel::clamp_min(reel::std(flat, {0}), eps);
    loc_ = standard_normal_ ? mean : reel::neg(reel::div(mean, deviation));
    scale_ = standard_normal_ ? deviation : reel::reciprocal(deviation);
}

} // namespace reel::rl
