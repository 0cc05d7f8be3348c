// Counts steps since the reset.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/rl/envs/transforms/transform.hpp>

namespace reel::rl {

/// Adds "step_count", int64 [*batch_size, 1] (EN-6): 0 where reset, one more in "next" than at the root. With
/// `max_steps`, steps that reach it are truncated, and done unless `update_done` is off.
/// Errors: ValueError for max_steps < 1; a nested key is one, too.
class StepCounter : public Transform {
public:
    explicit StepCounter(std::optional<std::int64_t> max_steps = std::nullopt,
                         const NestedKey& truncated_key = "truncated", const NestedKey& step_count_key = "step_count",
                         bool update_done = true);
    std::string name() const override { return "StepCounter"; }
    std::optional<std::int64_t> max_steps() const { return max_steps_; }
    TensorDict reset(const std::optional<TensorDict>& td, TensorDict fresh) override;
    TensorDict step(const TensorDict& td, TensorDict next) override;
    EnvSpecs transform_specs(EnvSpecs specs) const override;
    void attach(const EnvSpecs& specs) override;

private:
    std::optional<std::int64_t> max_steps_;
    NestedKey truncated_key_, step_count_key_;
    bool update_done_;
    std::vector<NestedKey> done_keys_; ///< of each group
};

} // namespace reel::rl
