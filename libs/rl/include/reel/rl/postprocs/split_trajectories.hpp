// Rollouts taken apart into trajectories.
#pragma once

#include <optional>

#include <reel/nn/options.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

struct SplitTrajectoriesOptions {
    /// The entry with each step's trajectory id. Nothing: "traj_ids" under `prefix`.
    REEL_ARG(std::optional<NestedKey>, trajectory_key) = std::nullopt;
    /// Nothing: "collector" where the root has such an entry, else the root.
    REEL_ARG(std::optional<NestedKey>, prefix) = std::nullopt;
    /// Below "next": where a trajectory ends, should there be no ids.
    REEL_ARG(NestedKey, done_key) = "done";
    /// Ids that are made from done flags tell apart the rows of the first batch dimension alone, as in the Python
    /// package: of [2, 3, T], trajectories of one worker's environments would run into each other. On, those of all
    /// rows.
    REEL_ARG(bool, distinguishes_all_rows) = false;
};

/// Steps of batch size [*B, T], time last, as trajectories [n, T_max], zero padded: all batch dimensions are flattened,
/// consecutive steps with the same id are a trajectory. A bool entry "mask" beside the ids says which steps are real.
/// If there are no ids they are made by counting ("next", done) and written, padded with zeros too (SP-1).
///
/// With one trajectory of full length per row only the mask and missing ids are added; [T] becomes [1, T]. The input is
/// not changed, and its tensors are shared where they are not rearranged. Differentiable.
/// Errors: an id that comes back after another one (Error naming it), KeyError without ids and done flags, ValueError
/// for an empty batch size, Error for T = 0, no rows and ids or flags with more than one value per step.
TensorDict split_trajectories(const TensorDict& rollout, const SplitTrajectoriesOptions& options = {});

} // namespace reel::rl
