// The losses of proximal policy optimisation.
#pragma once

#include <reel/rl/modules/actors.hpp>
#include <reel/rl/objectives/loss_module.hpp>

namespace reel::rl {

struct PPOLossOptions {
    /// How far the ratio of probabilities may leave 1 (ClipPPOLoss).
    REEL_ARG(double, clip_epsilon) = 0.2;
    REEL_ARG(bool, entropy_bonus) = true;
    REEL_ARG(double, entropy_coeff) = 0.01;
    /// Draws that stand for an entropy that has no formula.
    REEL_ARG(std::int64_t, samples_mc_entropy) = 1;
    /// 0: no critic loss.
    REEL_ARG(double, critic_coeff) = 1.0;
    /// "l2", "l1" or "smooth_l1".
    REEL_ARG(std::string, loss_critic_type) = "smooth_l1";
    /// Advantages are shifted and scaled to mean 0 and standard deviation 1.
    REEL_ARG(bool, normalize_advantage) = false;
    /// How far values may leave those in the dictionary before the critic's loss stops to improve.
    REEL_ARG(std::optional<double>, clip_value);
    /// "mean", "sum" or "none".
    REEL_ARG(std::string, reduction) = "mean";
    /// Of the GAE that runs when the dictionary has no advantage.
    REEL_ARG(double, gamma) = 0.99;
    REEL_ARG(double, lmbda) = 0.95;
    REEL_ARG(NestedKey, action) = "action";
    /// By default the actor's.
    REEL_ARG(std::optional<NestedKey>, sample_log_prob);
    REEL_ARG(NestedKey, advantage) = "advantage";
    REEL_ARG(NestedKey, value_target) = "value_target";
    REEL_ARG(NestedKey, value) = "state_value";
};

/// Proximal policy optimisation (Schulman et al., 2017). With w = exp(log pi(a|s) - sample_log_prob), "loss_objective"
/// is minus the mean of w A, for `ClipPPOLoss` of min(w A, clip(w, 1 - eps, 1 + eps) A). "loss_entropy" is
/// -entropy_coeff times the entropy, "loss_critic" critic_coeff times the distance between value and "value_target":
/// a program descends on their sum. Beside them, without gradient: "kl_approx", "entropy", "explained_variance",
/// "value_clip_fraction", and of ClipPPOLoss "clip_fraction", "ESS" (effective sample size over batch size),
/// "max_ratio" and "mean_ratio".
///
/// Needs the actor's and the critic's in_keys, "action", its log-probability, "advantage" and "value_target", [*B, 1];
/// where "advantage" is missing, GAE computes both from the critic. The dictionary is not changed. Errors: KeyError for
/// missing entries with the nearest ones, ValueError naming shapes that do not fit, and when action or log-probability
/// require gradients.
class PPOLossImpl : public LossOf<PPOLossImpl> {
public:
    PPOLossImpl(bool clipped, const AnyTensorDictModule& actor_network, const AnyTensorDictModule& critic_network,
                const PPOLossOptions& options);
    TensorDict forward(TensorDict tensordict) override;
    AnyTensorDictModule actor_network() const { return network("actor_network"); }
    AnyTensorDictModule critic_network() const { return network("critic_network"); }
    std::string repr_name() const override { return loss_name_; }
    PPOLossOptions options;

private:
    Tensor advantage_of(TensorDict& tensordict);
    Tensor log_ratio(const TensorDict& tensordict, const distributions::Distribution& dist, const Tensor& advantage);
    void add_objective(TensorDict& out, const Tensor& log_weight, const Tensor& advantage) const;
    void add_entropy(TensorDict& out, const distributions::Distribution& dist) const;
    void add_critic(TensorDict& out, const TensorDict& tensordict);
    Tensor reduced(const Tensor& loss) const;
    bool clipped_;
};
class PPOLoss : public nn::ModuleHolder<PPOLossImpl> {
public:
    using nn::ModuleHolder<PPOLossImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = PPOLossImpl;
    PPOLoss(const AnyTensorDictModule& actor_network, const AnyTensorDictModule& critic_network,
            const PPOLossOptions& options = {})
        : ModuleHolder(std::make_shared<PPOLossImpl>(false, actor_network, critic_network, options)) {}
};
class ClipPPOLoss : public nn::ModuleHolder<PPOLossImpl> {
public:
    using nn::ModuleHolder<PPOLossImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = PPOLossImpl;
    ClipPPOLoss(const AnyTensorDictModule& actor_network, const AnyTensorDictModule& critic_network,
                const PPOLossOptions& options = {})
        : ModuleHolder(std::make_shared<PPOLossImpl>(true, actor_network, critic_network, options)) {}
};

} // namespace reel::rl
