// The loss of REINFORCE.
#pragma once

#include <reel/rl/modules/actors.hpp>
#include <reel/rl/objectives/loss_module.hpp>

namespace reel::rl {

struct ReinforceLossOptions {
    /// "l2", "l1" or "smooth_l1".
    REEL_ARG(std::string, loss_critic_type) = "smooth_l1";
    /// "mean", "sum" or "none".
    REEL_ARG(std::string, reduction) = "mean";
    /// Of the GAE that runs when the dictionary has no advantage.
    REEL_ARG(double, gamma) = 0.99;
    REEL_ARG(double, lmbda) = 0.95;
    REEL_ARG(NestedKey, action) = "action";
    REEL_ARG(NestedKey, advantage) = "advantage";
    REEL_ARG(NestedKey, value_target) = "value_target";
    REEL_ARG(NestedKey, value) = "state_value";
};

/// The policy gradient with a baseline (Williams, "Simple statistical gradient-following algorithms", 1992):
/// "loss_actor" is minus the mean of log pi(a|s) A, "loss_value" the distance of the critic's value from
/// "value_target". Entries and errors as for PPOLoss, but no log-probability is needed. Where "advantage" is missing,
/// GAE computes it.
class ReinforceLossImpl : public LossOf<ReinforceLossImpl> {
public:
    ReinforceLossImpl(const AnyTensorDictModule& actor_network, const AnyTensorDictModule& critic_network,
                      const ReinforceLossOptions& options = {});
    TensorDict forward(TensorDict tensordict) override;
    std::string repr_name() const override { return "ReinforceLoss"; }
    ReinforceLossOptions options;
};
class ReinforceLoss : public nn::ModuleHolder<ReinforceLossImpl> {
public:
    using nn::ModuleHolder<ReinforceLossImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = ReinforceLossImpl;
    ReinforceLoss(const AnyTensorDictModule& actor_network, const AnyTensorDictModule& critic_network,
                  const ReinforceLossOptions& options = {})
        : ModuleHolder(std::make_shared<ReinforceLossImpl>(actor_network, critic_network, options)) {}
};

} // namespace reel::rl
