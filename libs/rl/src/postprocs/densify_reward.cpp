// Sums of rewards to the end of the trajectory.
#include <reel/rl/postprocs/densify_reward.hpp>

#include <cmath>

#include <reel/autograd/printing.hpp>

#include "postprocs/needed_entry.hpp"
#include "postprocs/reward_sums.hpp"

namespace reel::rl {

DensifyRewardImpl::DensifyRewardImpl(const DensifyRewardOptions& given) : options(given) {
    REEL_CHECK_VALUE(options.discount() >= 0 && std::isfinite(options.discount()), "DensifyReward: discount is ",
                     options.discount(), ", expected a finite number of 0 or more");
}

TensorDict DensifyRewardImpl::forward(const TensorDict& tensordict) {
    constexpr const char* name = "DensifyReward";
    const Tensor reward = needed_entry(name, tensordict, options.reward_key().under("next"));
    const Tensor done = needed_entry(name, tensordict, options.done_key().under("next"));
    REEL_CHECK(reward.sizes() == done.sizes(), name,
               ": reward and done state are expected to have the same shape, but ", options.reward_key().under("next"),
               " has sizes ", reward.sizes(), " and ", options.done_key().under("next"), " has ", done.sizes());
    REEL_CHECK_TYPE(reward.scalar_type() != kBool, name, ": the entry ", options.reward_key().under("next"),
                    " is bool, expected a floating or integer reward; convert it");
    const std::int64_t given = options.reads_time_dim() ? options.time_dim() : -2;
    const std::int64_t dim = given < 0 ? given + done.dim() : given;
    REEL_CHECK_INDEX(dim >= 0 && dim < done.dim(), name, ": there is no time dimension ", given, " in sizes ",
                     done.sizes(), options.reads_time_dim() ? "" : "; expected [*B, T, lanes]");
    const auto plan = std::make_shared<const Lookahead>(done, dim, done.size(dim));
    const Tensor sums = sums_to_the_end(reward, plan, options.discount()).to(reward.scalar_type());
    TensorDict out = tensordict;
    out.set(options.reward_key_out().value_or(options.reward_key()).under("next"), sums);
    return out;
}

} // namespace reel::rl
