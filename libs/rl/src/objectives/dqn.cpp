#include <reel/rl/objectives/dqn.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "objectives/loss_support.hpp"

namespace reel::rl {

DQNLossImpl::DQNLossImpl(const AnyTensorDictModule& value_network, const DQNLossOptions& o)
    : LossOf("DQNLoss", {ValueEstimators::TD0, ValueEstimators::TD1, ValueEstimators::TDLambda}), options(o) {
    REEL_CHECK_VALUE(o.delay_value() || !o.double_dqn(), "DQNLoss: double_dqn needs delay_value, which is off");
    detail::check_choice("DQNLoss", "loss_function", o.loss_function(), {"l1", "l2", "smooth_l1"});
    detail::check_choice("DQNLoss", "reduction", o.reduction(), {"mean", "sum", "none"});
    if (const auto* actor = dynamic_cast<const QValueActorImpl*>(&*value_network))
        options.action_space(actor->action_space());
    add_module("value_network", value_network.module());
    add_target("value_network", o.delay_value());
    make_value_estimator(ValueEstimators::TD0,
                         ValueEstimatorOptions().gamma(o.gamma()).keys(
                             ValueEstimatorKeys().reward(o.reward()).done(o.done()).terminated(o.terminated())));
    in_keys_ = value_network->in_keys();
    in_keys_.push_back(o.action());
    for (const NestedKey& key : value_network->in_keys()) in_keys_.push_back(key.under("next"));
    for (const NestedKey& key : {o.reward(), o.done(), o.terminated()}) in_keys_.push_back(key.under("next"));
    out_keys_ = {"loss"};
}

/// The values [*B, 1] of the actions taken.
Tensor DQNLossImpl::chosen(const Tensor& values, const Tensor& action) const {
    Tensor index = action;
    if (options.action_space() == ActionSpace::ONE_HOT) {
        REEL_CHECK_VALUE(action.sizes().equals(values.sizes()), "DQNLoss: the one-hot action ", options.action().str(),
                         " has shape ", action.sizes(), ", the values of actions ", values.sizes(),
                         "; for numbers of actions use ActionSpace::CATEGORICAL");
        index = (action.scalar_type() == kBool ? action.to(kByte) : action).argmax(-1, true);
    } else if (action.dim() < values.dim()) index = action.unsqueeze(-1);
    REEL_CHECK_VALUE(index.dim() == values.dim() && index.size(-1) == 1, "DQNLoss: the action ", options.action().str(),
                     " has shape ", action.sizes(), ", the values of actions ", values.sizes(),
                     "; expected one number for each row");
    return values.gather(-1, index.to(kLong));
}

Tensor DQNLossImpl::next_value(const TensorDict& next) {
    const NoGradGuard no_grad;
    const AnyTensorDictModule target_network = target("value_network");
    const TensorDict valued = target_network(next.select(target_network->in_keys()));
    const Tensor values = required(valued, options.action_value());
    if (options.double_dqn()) {
        const AnyTensorDictModule online = value_network();
        const TensorDict choice = online(next.select(online->in_keys()));
        const std::optional<Tensor> action = choice.get(options.action());
        if (action) return chosen(values, *action);
        return values.gather(-1, required(choice, options.action_value()).argmax(-1, true));
    }
    const std::optional<Tensor> action = valued.get(options.action());
    return action ? chosen(values, *action) : values.amax({-1}, true);
}

TensorDict DQNLossImpl::forward(TensorDict tensordict) {
    const TensorDict next = next_of(tensordict);
    const Tensor action = required(tensordict, options.action());
    for (const NestedKey& key : {options.reward(), options.done()}) required(tensordict, key.under("next"));
    const AnyTensorDictModule online = value_network();
    const TensorDict valued = online(tensordict.select(online->in_keys()));
    const Tensor prediction = chosen(required(valued, options.action_value()), action).squeeze(-1);
    Tensor target_value, error;
    {
        const NoGradGuard no_grad;
        target_value = estimator_->value_estimate(tensordict, next_value(next)).squeeze(-1);
        REEL_CHECK_VALUE(target_value.sizes().equals(prediction.sizes()), "DQNLoss: the targets have shape ",
                         target_value.sizes(), ", the values of the actions taken ", prediction.sizes());
        error = (prediction - target_value).square().unsqueeze(-1);
    }
    const Tensor loss = detail::distance_loss(prediction, target_value, options.loss_function());
    const Tensor weights = detail::weights_of("DQNLoss", tensordict, options.priority_weight(), loss);
    TensorDict out;
    out.set("loss", detail::reduced("DQNLoss", loss, options.reduction(), weights));
    tensordict.set(options.priority(), error);
    return out;
}

} // namespace reel::rl
