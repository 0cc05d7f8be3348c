// Rewards of a trajectory's end spread over its steps.
#pragma once

#include <cstdint>
#include <optional>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

/// Keys are those below "next".
struct DensifyRewardOptions {
    REEL_ARG(NestedKey, reward_key) = "reward";
    REEL_ARG(NestedKey, done_key) = "done";
    REEL_ARG(std::optional<NestedKey>, reward_key_out) = std::nullopt; ///< nothing: `reward_key`
    /// Not read, as in the Python package, where time is the last dimension but one, unless `reads_time_dim` (DR-1).
    REEL_ARG(std::int64_t, time_dim) = 2;
    REEL_ARG(bool, reads_time_dim) = false;
    REEL_ARG(double, discount) = 1; ///< 0 or more; ValueError
};

/// Replaces each reward by the discounted sum of the rewards from there to the end of its trajectory: made for rewards
/// that come with the end alone (DR-1).
class DensifyRewardImpl : public nn::Cloneable<DensifyRewardImpl> {
public:
    explicit DensifyRewardImpl(const DensifyRewardOptions& options = {});
    void reset() override {}
    static constexpr const char* forward_arguments = "tensordict";
    /// Changes `tensordict` and returns it. ("next", reward) and ("next", done) have the same sizes, [*B, T, lanes];
    /// the sums keep the reward's dtype and are differentiable. Errors: KeyError for a missing entry, Error for sizes
    /// that differ, IndexError when there is no such time dimension, TypeError for a bool reward; nothing has changed.
    TensorDict forward(const TensorDict& tensordict);

    DensifyRewardOptions options;
};
REEL_MODULE(DensifyReward);

} // namespace reel::rl
