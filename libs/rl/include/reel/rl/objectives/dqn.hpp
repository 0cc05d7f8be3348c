// The loss of deep Q-learning.
#pragma once

#include <reel/rl/modules/actors.hpp>
#include <reel/rl/objectives/loss_module.hpp>

namespace reel::rl {

struct DQNLossOptions {
    /// "l2", "l1" or "smooth_l1".
    REEL_ARG(std::string, loss_function) = "l2";
    /// Targets come from a copy that is updated apart; otherwise from the network itself (without gradient).
    REEL_ARG(bool, delay_value) = true;
    /// The network chooses the next action, the copy values it (van Hasselt et al., "Deep reinforcement learning with
    /// double Q-learning", 2016).
    REEL_ARG(bool, double_dqn) = false;
    REEL_ARG(double, gamma) = 0.99;
    /// "mean", "sum" or "none".
    REEL_ARG(std::string, reduction) = "mean";
    /// Of a network that is no QValueActor.
    REEL_ARG(ActionSpace, action_space) = ActionSpace::ONE_HOT;
    REEL_ARG(NestedKey, action) = "action";
    REEL_ARG(NestedKey, action_value) = "action_value";
    REEL_ARG(NestedKey, priority) = "td_error";
    REEL_ARG(NestedKey, priority_weight) = "priority_weight";
    REEL_ARG(NestedKey, reward) = "reward";
    REEL_ARG(NestedKey, done) = "done";
    REEL_ARG(NestedKey, terminated) = "terminated";
};

/// "loss": the distance between the chosen action's value and r + gamma^n (1 - terminated) max_a Q_target(s', a)
/// (Mnih et al., "Human-level control through deep reinforcement learning", 2015). n is "steps_to_next_obs", as
/// `MultiStep` writes it, or 1; `r` is then its n-step reward. Needs the network's in_keys at the root and under
/// "next", "action", ("next", "reward"), ("next", "done") and ("next", "terminated"), both with a trailing 1.
/// Writes the squared differences as "td_error" [*B, 1] into its argument, for prioritised replay; where
/// "priority_weight" is, the mean is weighted with it.
///
/// Errors: KeyError for missing entries with the nearest ones, ValueError naming shapes that do not fit or options that
/// exclude each other.
class DQNLossImpl : public LossOf<DQNLossImpl> {
public:
    explicit DQNLossImpl(const AnyTensorDictModule& value_network, const DQNLossOptions& options = {});
    TensorDict forward(TensorDict tensordict) override;
    AnyTensorDictModule value_network() const { return network("value_network"); }
    AnyTensorDictModule target_value_network() const { return target("value_network"); }
    std::string repr_name() const override { return "DQNLoss"; }
    DQNLossOptions options;

private:
    Tensor next_value(const TensorDict& next);
    Tensor chosen(const Tensor& values, const Tensor& action) const;
};
REEL_MODULE(DQNLoss);

} // namespace reel::rl
