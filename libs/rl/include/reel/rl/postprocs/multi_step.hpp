// n-step returns of collected trajectories (Sutton 1988, "Learning to predict by the methods of temporal differences").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

/// `MultiStepOptions(0.99, 4).counts_current_step(true)`. 0 < gamma <= 1 (MS-3); `n_steps` further steps are looked at
/// besides the current one, so that 0 is the identity (MS-2). ValueError otherwise, when the module is made.
struct MultiStepOptions {
    MultiStepOptions(double gamma, std::int64_t n_steps) : gamma_(gamma), n_steps_(n_steps) {}
    REEL_ARG(double, gamma);
    REEL_ARG(std::int64_t, n_steps);
    /// The Python package's counting: the current step is one of the `n_steps`, 1 is the identity and 0 is refused.
    REEL_ARG(bool, counts_current_step) = false;
    /// Off, powers of gamma are converted to an integer reward's dtype, where they are 0 below gamma = 1 and nothing is
    /// added (MS-12). On, integer and bool rewards are converted to the default dtype first.
    REEL_ARG(bool, integer_rewards_as_float) = false;
    /// Off, the one entry ("next", "original_reward") holds the last reward key's original; one that the input has (the
    /// rule was applied before) is moved like any other leaf and left in its stead (MS-14). On, each reward key `k` has
    /// an `original_k` beside it, and one that the input has stays as it is.
    REEL_ARG(bool, original_reward_per_key) = false;
    /// Off, the flags named by `done_keys` stay at t, although the observation beside them is that of t + d: a learner
    /// that masks its bootstrap with ("next", "done") then bootstraps from terminal states (MS-18). On, they move too.
    REEL_ARG(bool, move_done) = false;
};

/// Rewrites a batch of trajectories: what stands under "next" comes from up to `n_steps` steps later, and the reward
/// is the discounted sum of the rewards on the way. A step never looks beyond the end of its trajectory (a done flag,
/// or the end of the batch). With d(t) the number of steps that could be looked ahead (MS-10, MS-11):
///
/// - ("next", reward): the sum over k = 0..d of gamma^k r(t + k), in the reward's dtype, int64 for integers (MS-12);
///   it is differentiable. bool rewards are a TypeError.
/// - ("next", "original_reward"): the reward that was there, the same tensor (MS-14)
/// - every other leaf under "next" but the flags: its value at t + d (MS-13)
/// - "steps_to_next_obs" = d + 1 (int64), "gamma" = gamma^(d + 1) (default dtype) and "nonterminal" = d > 0 (bool;
/// false
///   where the mask is), of the batch's shape (MS-15, MS-16)
///
/// What follows in the next batch is not known here: the last steps look less far (MS-20; `MultiStepTransform` has no
/// such edges).
class MultiStepImpl : public nn::Cloneable<MultiStepImpl> {
public:
    MultiStepImpl(double gamma, std::int64_t n_steps) : MultiStepImpl(MultiStepOptions(gamma, n_steps)) {}
    explicit MultiStepImpl(const MultiStepOptions& options);
    void reset() override;
    static constexpr const char* forward_arguments = "tensordict";
    /// `tensordict` has batch size [*B, T], time last, and at least ("next", done) and ("next", reward). It is not
    /// changed; leaves that the rule leaves alone are shared (MS-9).
    ///
    /// `done` is [*B, T], [*B, T, 1], or [*B, T, *extra] for flags of their own (several agents): every leaf must then
    /// begin with those sizes, and ("next") keeps them as its batch size (MS-7). `reward` may have further dimensions
    /// behind those of `done` (MS-8).
    ///
    /// Errors, naming what is missing or does not fit (MS-6): KeyError, TypeError for a tensor under "next", ValueError
    /// for an empty batch size, Error for T = 0 and for sizes that do not fit.
    TensorDict forward(const TensorDict& tensordict);

    MultiStepOptions options;
    /// Under "next": where a trajectory ends.
    NestedKey done_key = "done";
    /// Under "next": what is not moved.
    std::vector<NestedKey> done_keys{"done", "truncated", "terminated"};
    std::vector<NestedKey> reward_keys{"reward"};
    /// At the root, [*B, T] or [*B, T, 1]; nothing for no mask.
    std::optional<NestedKey> mask_key = NestedKey{"collector", "mask"};
    /// gamma^0 to gamma^n_steps, float32 [1, 1, n_steps + 1]: in the state, but not what forward computes with (MS-4).
    Tensor gammas;
};
REEL_MODULE(MultiStep);

} // namespace reel::rl
