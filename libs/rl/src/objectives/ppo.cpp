#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/rl/objectives/ppo.hpp>

#include <cmath>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "objectives/loss_support.hpp"

namespace reel::rl {

namespace {
NestedKey key_of_log_prob(const AnyTensorDictModule& actor, const PPOLossOptions& o) {
    if (o.sample_log_prob()) return *o.sample_log_prob();
    if (const auto* known = dynamic_cast<const ProbabilisticActorImpl*>(&*actor)) return known->log_prob_key();
    return o.action().with_back(o.action().back() + "_log_prob");
}
} // namespace

PPOLossImpl::PPOLossImpl(bool clipped, const AnyTensorDictModule& actor_network,
                         const AnyTensorDictModule& critic_network, const PPOLossOptions& o)
    : LossOf(clipped ? "ClipPPOLoss" : "PPOLoss",
             {ValueEstimators::TD0, ValueEstimators::TD1, ValueEstimators::TDLambda, ValueEstimators::GAE,
              ValueEstimators::VTrace}),
      options(o), clipped_(clipped) {
    const char* name = loss_name_.c_str();
    const ValueEstimatorOptions estimator = detail::critic_estimator(name, o, critic_network);
    REEL_CHECK_VALUE(!clipped || (o.clip_epsilon() > 0 && o.clip_epsilon() < 1), name, ": clip_epsilon is ",
                     o.clip_epsilon(), ", expected a number between 0 and 1");
    REEL_CHECK_VALUE(o.samples_mc_entropy() > 0, name, ": samples_mc_entropy is ", o.samples_mc_entropy(),
                     ", expected a positive number");
    options.sample_log_prob(key_of_log_prob(actor_network, o));
    add_module("actor_network", actor_network.module());
    add_module("critic_network", critic_network.module());
    make_value_estimator(ValueEstimators::GAE, estimator);
    in_keys_ = actor_network->in_keys();
    for (const NestedKey& key : critic_network->in_keys())
        if (std::find(in_keys_.begin(), in_keys_.end(), key) == in_keys_.end()) in_keys_.push_back(key);
    for (const NestedKey& key : {o.action(), *options.sample_log_prob(), o.advantage(), o.value_target()})
        in_keys_.push_back(key);
    out_keys_ = {"loss_objective", "kl_approx"};
    if (o.entropy_bonus()) out_keys_.insert(out_keys_.end(), {"entropy", "loss_entropy"});
    if (o.critic_coeff() != 0) out_keys_.insert(out_keys_.end(), {"loss_critic", "explained_variance"});
    if (clipped) out_keys_.insert(out_keys_.end(), {"clip_fraction", "ESS", "max_ratio", "mean_ratio"});
}

Tensor PPOLossImpl::reduced(const Tensor& loss) const {
    const Tensor r = detail::reduced(loss_name_.c_str(), loss, options.reduction());
    return options.reduction() == "none" && loss.dim() && loss.size(-1) == 1 ? r.squeeze(-1) : r;
}

Tensor PPOLossImpl::advantage_of(TensorDict& tensordict) {
    if (!tensordict.contains(options.advantage())) {
        tensordict = tensordict.clone(false); // GAE writes values and targets
        tensordict = estimator_->forward(tensordict);
    }
    const Tensor advantage = required(tensordict, options.advantage()).detach();
    if (!options.normalize_advantage() || advantage.numel() <= 1) return advantage;
    return (advantage - advantage.mean()) / advantage.std().clamp_min(1e-6);
}

/// log pi(a|s) - log of what the policy that acted gave, [*B, 1].
Tensor PPOLossImpl::log_ratio(const TensorDict& tensordict, const distributions::Distribution& dist,
                              const Tensor& advantage) {
    const NestedKey& log_prob_key = *options.sample_log_prob();
    const Tensor before = required(tensordict, log_prob_key), action = required(tensordict, options.action());
    REEL_CHECK_VALUE(!before.requires_grad() && !action.requires_grad(), loss_name_, ": the entry ",
                     (action.requires_grad() ? options.action() : log_prob_key).str(),
                     " requires gradients; collect without gradients (NoGradGuard) or detach it");
    const Tensor now = dist.log_prob(action);
    REEL_CHECK_VALUE(now.numel() == before.numel(), loss_name_, ": the log-probabilities of ", options.action().str(),
                     " have shape ", now.sizes(), ", the entry ", log_prob_key.str(), " has ", before.sizes());
    const Tensor r = (now - before.reshape(now.sizes())).unsqueeze(-1);
    REEL_CHECK_VALUE(r.sizes().equals(advantage.sizes()), loss_name_, ": the advantage ", options.advantage().str(),
                     " has shape ", advantage.sizes(), ", expected ", r.sizes(),
                     ", that of the log-probabilities with a trailing 1");
    return r;
}

void PPOLossImpl::add_objective(TensorDict& out, const Tensor& log_weight, const Tensor& advantage) const {
    const Tensor gain = log_weight.exp() * advantage;
    if (!clipped_) {
        out.set("loss_objective", reduced(-gain));
    } else {
        const double eps = options.clip_epsilon();
        const Tensor clipped = log_weight.clamp(std::log1p(-eps), std::log1p(eps));
        out.set("loss_objective", reduced(-minimum(gain, clipped.exp() * advantage)));
        const NoGradGuard no_grad;
        out.set("clip_fraction", (clipped != log_weight).to(log_weight.scalar_type()).mean());
        const Tensor flat = log_weight.detach().flatten(), ratio = flat.exp();
        const Tensor size = (flat.logsumexp({0}) * 2 - (flat * 2).logsumexp({0})).exp();
        out.set("ESS", size / double(flat.numel()));
        out.set("max_ratio", ratio.max());
        out.set("mean_ratio", ratio.mean());
    }
    out.set("kl_approx", -log_weight.detach().mean());
}

void PPOLossImpl::add_entropy(TensorDict& out, const distributions::Distribution& dist) const {
    const Tensor entropy = dist.has_entropy()
                               ? dist.entropy()
                               : -(dist.has_rsample() ? dist.rsample_and_log_prob({options.samples_mc_entropy()})
                                                      : dist.sample_and_log_prob({options.samples_mc_entropy()}))
                                      .second.mean(0);
    out.set("entropy", entropy.detach().mean());
    out.set("loss_entropy", reduced((entropy * -options.entropy_coeff()).unsqueeze(-1)));
}

void PPOLossImpl::add_critic(TensorDict& out, const TensorDict& tensordict) {
    const AnyTensorDictModule critic = critic_network();
    const Tensor target = required(tensordict, options.value_target()).detach();
    const Tensor value = required(critic(tensordict.select(critic->in_keys())), options.value());
    REEL_CHECK_VALUE(value.sizes().equals(target.sizes()), loss_name_, ": the critic's values have shape ",
                     value.sizes(), ", the entry ", options.value_target().str(), " has ", target.sizes());
    Tensor loss = detail::distance_loss(value, target, options.loss_critic_type());
    if (options.clip_value()) {
        const double eps = *options.clip_value();
        const Tensor before = required(tensordict, options.value()).detach();
        const Tensor step = value - before, kept_step = step.clamp(-eps, eps), kept = before + kept_step;
        const Tensor kept_loss = detail::distance_loss(kept, target, options.loss_critic_type());
        {
            const NoGradGuard no_grad;
            out.set("value_clip_fraction", (kept_step != step).to(value.scalar_type()).mean());
        }
        loss = maximum(loss, kept_loss);
    }
    out.set("loss_critic", reduced(loss * options.critic_coeff()));
    const NoGradGuard no_grad;
    const Tensor left = (target - value.detach()).var(IntArrayRef{0}, false), total = target.var(IntArrayRef{0}, false);
    const double eps =
        value.scalar_type() == kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    out.set("explained_variance", 1 - left / (total + eps));
}

TensorDict PPOLossImpl::forward(TensorDict tensordict) {
    const Tensor advantage = advantage_of(tensordict);
    const AnyTensorDictModule actor = actor_network();
    const DistributionPtr dist = actor->get_dist(tensordict);
    const Tensor log_weight = log_ratio(tensordict, *dist, advantage);
    TensorDict out;
    add_objective(out, log_weight, advantage);
    if (options.entropy_bonus()) add_entropy(out, *dist);
    if (options.critic_coeff() != 0) add_critic(out, tensordict);
    return out;
}

} // namespace reel::rl
