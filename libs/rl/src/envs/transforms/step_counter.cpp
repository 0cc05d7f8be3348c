#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/rl/envs/transforms/step_counter.hpp>

#include <limits>

#include <reel/rl/specs/bounded.hpp>

#include "envs/masks.hpp"
#include "envs/transforms/keys.hpp"

namespace reel::rl {

StepCounter::StepCounter(std::optional<std::int64_t> max_steps, const NestedKey& truncated_key,
                         const NestedKey& step_count_key, bool update_done)
    : max_steps_(max_steps), truncated_key_(detail::plain_key("StepCounter", "truncated_key", truncated_key)),
      step_count_key_(detail::plain_key("StepCounter", "step_count_key", step_count_key)), update_done_(update_done) {
    REEL_CHECK_VALUE(!max_steps_ || *max_steps_ >= 1, "StepCounter: expected max_steps of at least 1, got ",
                     *max_steps_);
}
void StepCounter::attach(const EnvSpecs& specs) {
    Transform::attach(specs);
    done_keys_ = detail::done_keys(specs.done);
}
EnvSpecs StepCounter::transform_specs(EnvSpecs specs) const {
    const double most = max_steps_ ? double(*max_steps_) : 9007199254740992.0; // 2^53
    for (const NestedKey& done : detail::done_keys(specs.done)) {
        const TensorSpec& flag = specs.done[done];
        specs.observation.set(done.with_back(step_count_key_.back()), Bounded(0, most, flag.shape(), kLong));
        if (const NestedKey truncated = done.with_back(truncated_key_.back()); !specs.done.contains(truncated))
            specs.observation.set(truncated, flag); // a flag of another name is no sign of an end
    }
    return specs;
}

TensorDict StepCounter::reset(const std::optional<TensorDict>&, TensorDict fresh) {
    for (const NestedKey& done : done_keys_) {
        const std::vector<std::int64_t>& sizes = parent().done[done].shape();
        fresh.set(done.with_back(step_count_key_.back()), reel::zeros(sizes, TensorOptions(kLong)));
        if (const NestedKey truncated = done.with_back(truncated_key_.back()); !fresh.contains(truncated))
            fresh.set(truncated, reel::zeros(sizes, TensorOptions(kBool)));
    }
    return fresh;
}
TensorDict StepCounter::step(const TensorDict& td, TensorDict next) {
    for (const NestedKey& done : done_keys_) {
        const NestedKey key = done.size() == 1 ? step_count_key_ : done.with_back(step_count_key_.back());
        const Tensor count = td[key].add(1);
        next.set(key, count);
        if (max_steps_) {
            const Tensor reached = reel::ge(count, *max_steps_);
            if (detail::any_set(reached)) {
                detail::truncate(next, done, truncated_key_.back(), reached, update_done_);
                continue;
            }
        }
        if (const NestedKey truncated = done.with_back(truncated_key_.back()); !next.contains(truncated))
            next.set(truncated, reel::zeros(count.sizes(), TensorOptions(kBool)));
    }
    return next;
}

} // namespace reel::rl
