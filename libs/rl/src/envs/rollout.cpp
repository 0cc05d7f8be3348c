// Several steps in a row.
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/rl/envs/env_base.hpp>

namespace reel::rl {

TensorDict EnvBase::rollout(std::int64_t max_steps, const Policy& policy, const RolloutOptions& options) {
    REEL_CHECK_VALUE(max_steps >= 1, name(), ".rollout: expected at least one step, got max_steps ", max_steps);
    REEL_CHECK_VALUE(options.auto_reset() || options.tensordict(), name(),
                     ".rollout: with auto_reset off, expected a dictionary to go on from (tensordict)");
    TensorDict root = options.auto_reset() ? reset(options.tensordict()) : maybe_reset(*options.tensordict());
    std::vector<TensorDict> steps;
    steps.reserve(std::size_t(std::min<std::int64_t>(max_steps, 4096)));
    for (std::int64_t i = 1;; ++i) {
        root = policy ? policy(std::move(root)) : rand_action(root);
        TensorDict taken = step(root);
        steps.push_back(taken);
        const bool last = i == max_steps;
        TensorDict next = taken.dict("next");
        if (last && options.set_truncated())
            for (const DoneGroup& group : groups_)
                for (const NestedKey* key : {&group.truncated, &group.done})
                    next.set(*key, reel::ones_like(next[*key]));
        if (last || (options.break_when_any_done() && any_done(next)) ||
            (options.break_when_all_done() && all_done(next)))
            break;
        root = step_mdp(taken);
        if (!options.break_when_any_done() && !options.break_when_all_done()) root = maybe_reset(root);
    }
    return rl::stack(steps, std::int64_t(batch_size().size()));
}

} // namespace reel::rl
