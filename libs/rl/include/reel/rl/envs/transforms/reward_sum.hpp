// Sums rewards over an episode.
#pragma once

#include <vector>

#include <reel/rl/envs/transforms/transform.hpp>

namespace reel::rl {

/// Adds the sum of the rewards since the reset under "episode_reward" (beside each reward, with the reward's shape and
/// dtype): 0 where reset. `in_keys` default to all rewards, `out_keys` to "episode_" and the reward's name beside it.
/// ValueError for different numbers of keys, KeyError for a key that is no reward.
class RewardSum : public Transform {
public:
    explicit RewardSum(std::vector<NestedKey> in_keys = {}, std::vector<NestedKey> out_keys = {});
    std::string name() const override { return "RewardSum"; }
    TensorDict reset(const std::optional<TensorDict>& td, TensorDict fresh) override;
    TensorDict step(const TensorDict& td, TensorDict next) override;
    EnvSpecs transform_specs(EnvSpecs specs) const override;
    void attach(const EnvSpecs& specs) override;

private:
    std::vector<NestedKey> in_keys_, out_keys_;
};

} // namespace reel::rl
