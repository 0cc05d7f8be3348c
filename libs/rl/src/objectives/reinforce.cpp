#include <reel/rl/objectives/reinforce.hpp>

#include <reel/autograd/tensor_operators.hpp>

#include "objectives/loss_support.hpp"

namespace reel::rl {

ReinforceLossImpl::ReinforceLossImpl(const AnyTensorDictModule& actor_network,
                                     const AnyTensorDictModule& critic_network, const ReinforceLossOptions& o)
    : LossOf("ReinforceLoss", {ValueEstimators::TD0, ValueEstimators::TD1, ValueEstimators::TDLambda,
                               ValueEstimators::GAE, ValueEstimators::VTrace}),
      options(o) {
    const ValueEstimatorOptions estimator = detail::critic_estimator("ReinforceLoss", o, critic_network);
    add_module("actor_network", actor_network.module());
    add_module("critic_network", critic_network.module());
    make_value_estimator(ValueEstimators::GAE, estimator);
    in_keys_ = actor_network->in_keys();
    for (const NestedKey& key : {o.action(), o.advantage(), o.value_target()}) in_keys_.push_back(key);
    out_keys_ = {"loss_actor", "loss_value"};
}

TensorDict ReinforceLossImpl::forward(TensorDict tensordict) {
    if (!tensordict.contains(options.advantage())) tensordict = estimator_->forward(tensordict.clone(false));
    const Tensor advantage = required(tensordict, options.advantage()).detach();
    const Tensor target = required(tensordict, options.value_target()).detach();
    const Tensor action = required(tensordict, options.action());
    REEL_CHECK_VALUE(!action.requires_grad(), "ReinforceLoss: the entry ", options.action().str(),
                     " requires gradients; collect without gradients (NoGradGuard) or detach it");
    const Tensor log_prob = network("actor_network")->get_dist(tensordict)->log_prob(action).unsqueeze(-1);
    REEL_CHECK_VALUE(log_prob.sizes().equals(advantage.sizes()), "ReinforceLoss: the advantage ",
                     options.advantage().str(), " has shape ", advantage.sizes(), ", expected ", log_prob.sizes(),
                     ", that of the log-probabilities with a trailing 1");
    const AnyTensorDictModule critic = network("critic_network");
    const Tensor value = required(critic(tensordict.select(critic->in_keys())), options.value());
    REEL_CHECK_VALUE(value.sizes().equals(target.sizes()), "ReinforceLoss: the critic's values have shape ",
                     value.sizes(), ", the entry ", options.value_target().str(), " has ", target.sizes());
    const auto reduced = [&](const Tensor& loss) {
        const Tensor r = detail::reduced("ReinforceLoss", loss, options.reduction());
        return options.reduction() == "none" && loss.size(-1) == 1 ? r.squeeze(-1) : r;
    };
    TensorDict out;
    out.set("loss_actor", reduced(-log_prob * advantage));
    out.set("loss_value", reduced(detail::distance_loss(value, target, options.loss_critic_type())));
    return out;
}

} // namespace reel::rl
