// The losses of the soft actor-critic.
#pragma once

#include <reel/nn/modules/module_list.hpp>
#include <reel/rl/modules/actors.hpp>
#include <reel/rl/objectives/loss_module.hpp>

namespace reel::rl {

struct SACLossOptions {
    /// Networks of action values made from a single one: copies whose parameters are drawn anew, uniformly between the
    /// least and the greatest of each tensor.
    REEL_ARG(std::int64_t, num_qvalue_nets) = 2;
    /// "l2", "l1" or "smooth_l1".
    REEL_ARG(std::string, loss_function) = "smooth_l1";
    REEL_ARG(double, alpha_init) = 1.0;
    REEL_ARG(std::optional<double>, min_alpha);
    REEL_ARG(std::optional<double>, max_alpha);
    /// Alpha stays as it is ("loss_alpha" is still computed, without gradient).
    REEL_ARG(bool, fixed_alpha) = false;
    /// What the policy's entropy is held at; by default minus the number of elements of an action.
    REEL_ARG(std::optional<double>, target_entropy);
    /// Where the actor has no spec; for the default of `target_entropy`.
    REEL_ARG(TensorSpec, action_spec);
    /// Targets come from copies that are updated apart.
    REEL_ARG(bool, delay_qvalue) = true;
    REEL_ARG(double, gamma) = 0.99;
    /// "mean", "sum" or "none".
    REEL_ARG(std::string, reduction) = "mean";
    REEL_ARG(NestedKey, state_action_value) = "state_action_value";
    REEL_ARG(NestedKey, priority) = "td_error";
    REEL_ARG(NestedKey, priority_weight) = "priority_weight";
    REEL_ARG(NestedKey, reward) = "reward";
    REEL_ARG(NestedKey, done) = "done";
    REEL_ARG(NestedKey, terminated) = "terminated";
};

/// Soft actor-critic without a state value network (Haarnoja et al., "Soft actor-critic algorithms and applications",
/// 2019). With an action a' drawn at s' and the least of the target networks' values, the target is
/// r + gamma^n (1 - terminated) (min Q_target(s', a') - alpha log pi(a'|s')), n as for DQNLoss:
///   "loss_qvalue" the networks' distances from it, summed over networks;
///   "loss_actor"  alpha log pi(a|s) - min Q(s, a) for a fresh a, whose gradient reaches the actor alone;
///   "loss_alpha"  -log_alpha (log pi + target_entropy), whose gradient reaches the parameter `log_alpha` alone.
/// A program descends on their sum. "alpha" and "entropy" tell how it goes. Writes "td_error" [*B], the greatest over
/// the networks of |Q - target|, into its argument. Draws come from the default generator, those at s' first.
/// Errors: as DQNLoss; ValueError when the target entropy is neither given nor to be inferred from a spec.
class SACLossImpl : public LossOf<SACLossImpl> {
public:
    SACLossImpl(const AnyTensorDictModule& actor_network, const std::vector<AnyTensorDictModule>& qvalue_networks,
                const SACLossOptions& options);
    void reset() override;
    TensorDict forward(TensorDict tensordict) override;
    AnyTensorDictModule actor_network() const { return network("actor_network"); }
    AnyTensorDictModule qvalue_network(std::int64_t i) const;
    AnyTensorDictModule target_qvalue_network(std::int64_t i) const;
    std::int64_t num_qvalue_nets() const { return nets_; }
    /// Within its bounds.
    double alpha();
    double target_entropy() const { return target_entropy_; }
    std::string repr_name() const override { return "SACLoss"; }
    SACLossOptions options;
    Tensor log_alpha;

private:
    Tensor bounded_alpha();
    std::vector<Tensor> values(const std::string& networks, const TensorDict& inputs);
    Tensor next_value(const TensorDict& next);
    std::pair<Tensor, Tensor> qvalue_loss(const TensorDict& tensordict); ///< and the error of each element
    std::pair<Tensor, Tensor> actor_loss(const TensorDict& tensordict);  ///< and the log-probability, detached
    std::int64_t nets_;
    double target_entropy_ = 0;
    NestedKey action_key_;
};
class SACLoss : public nn::ModuleHolder<SACLossImpl> {
public:
    using nn::ModuleHolder<SACLossImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = SACLossImpl;
    SACLoss(const AnyTensorDictModule& actor_network, const AnyTensorDictModule& qvalue_network,
            const SACLossOptions& options = {})
        : SACLoss(actor_network, std::vector<AnyTensorDictModule>{qvalue_network}, options) {}
    /// With the networks themselves, one or more.
    SACLoss(const AnyTensorDictModule& actor_network, const std::vector<AnyTensorDictModule>& qvalue_networks,
            const SACLossOptions& options = {})
        : ModuleHolder(std::make_shared<SACLossImpl>(actor_network, qvalue_networks, options)) {}
};

} // namespace reel::rl
