// An end after so many steps.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/rl/envs/transforms/transform.hpp>

namespace reel::rl {

/// Truncates after `max_episode_steps` steps since the reset without adding an entry. ValueError for less than 1.
class TimeLimit : public Transform {
public:
    explicit TimeLimit(std::int64_t max_episode_steps);
    std::string name() const override { return "TimeLimit"; }
    TensorDict reset(const std::optional<TensorDict>& td, TensorDict fresh) override;
    TensorDict step(const TensorDict& td, TensorDict next) override;
    void attach(const EnvSpecs& specs) override;
    void state_dict(TensorDict& state, const NestedKey& prefix) const override;
    void load_state_dict(const TensorDict& state, const NestedKey& prefix) override;

private:
    std::int64_t max_episode_steps_;
    std::vector<std::int64_t> elapsed_;
    std::vector<NestedKey> done_keys_; ///< of each group
};

} // namespace reel::rl
