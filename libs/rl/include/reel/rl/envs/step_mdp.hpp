// From one step to the next.
#pragma once

#include <optional>
#include <vector>

#include <reel/nn/options.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

struct StepMdpOptions {
    /// Root entries come along; those of "next" win over them.
    REEL_ARG(bool, keep_other) = true;
    REEL_ARG(bool, exclude_reward) = true;
    REEL_ARG(bool, exclude_done) = false;
    REEL_ARG(bool, exclude_action) = true;
    REEL_ARG(std::vector<NestedKey>, reward_keys) = {"reward"};
    REEL_ARG(std::vector<NestedKey>, done_keys) = {"done"};
    REEL_ARG(std::vector<NestedKey>, action_keys) = {"action"};
};

/// The root dictionary of time t + 1 made of the step `td` of time t (EN-10): nested dictionaries are merged entry by
/// entry into new ones, tensors are shared, `td` is unchanged. With `next_td`, that one is updated and returned.
/// Error: KeyError without "next".
TensorDict step_mdp(const TensorDict& td, const std::optional<TensorDict>& next_td = std::nullopt,
                    const StepMdpOptions& options = {});

} // namespace reel::rl
