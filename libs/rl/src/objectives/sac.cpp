#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/rl/objectives/sac.hpp>

#include <cmath>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "objectives/loss_support.hpp"

namespace reel::rl {

namespace {

/// For its lifetime no gradient reaches these parameters, while it passes through.
class FrozenParameters {
public:
    explicit FrozenParameters(std::vector<Tensor> parameters) {
        for (Tensor& p : parameters)
            if (p.requires_grad()) parameters_.push_back(std::move(p));
        for (const Tensor& p : parameters_) p.requires_grad_(false);
    }
    ~FrozenParameters() {
        for (const Tensor& p : parameters_) p.requires_grad_(true);
    }
    FrozenParameters(const FrozenParameters&) = delete;
    FrozenParameters& operator=(const FrozenParameters&) = delete;

private:
    std::vector<Tensor> parameters_;
};

std::shared_ptr<nn::ModuleListImpl> several(const std::vector<AnyTensorDictModule>& given, std::int64_t count) {
    auto list = std::make_shared<nn::ModuleListImpl>();
    if (given.size() > 1) {
        for (const AnyTensorDictModule& one : given) list->push_back(one.module());
        return list;
    }
    const NoGradGuard no_grad;
    list->push_back(given[0].module());
    for (std::int64_t i = 1; i < count; ++i) {
        const nn::ModulePtr copy = given[0].clone(false).module();
        for (const Tensor& p : copy->parameters())
            if (p.numel()) p.uniform_(p.min().item<double>(), p.max().item<double>());
        list->push_back(copy);
    }
    return list;
}
NestedKey action_key_of(const AnyTensorDictModule& actor) {
    if (const auto* known = dynamic_cast<const ProbabilisticActorImpl*>(&*actor)) return known->action_key();
    return "action";
}
double entropy_to_hold(const AnyTensorDictModule& actor, const SACLossOptions& o) {
    if (o.target_entropy()) return *o.target_entropy();
    TensorSpec spec = o.action_spec();
    if (const auto* known = dynamic_cast<const ProbabilisticActorImpl*>(&*actor); known && !spec.defined())
        spec = known->options.spec();
    REEL_CHECK_VALUE(spec.defined(),
                     "SACLoss: target_entropy is unknown: give it, or action_spec, or the actor a spec");
    std::int64_t n = 1;
    for (const std::int64_t size : spec.shape()) n *= size;
    return -double(n);
}

} // namespace

SACLossImpl::SACLossImpl(const AnyTensorDictModule& actor_network,
                         const std::vector<AnyTensorDictModule>& qvalue_networks, const SACLossOptions& o)
    : LossOf("SACLoss", {ValueEstimators::TD0, ValueEstimators::TD1, ValueEstimators::TDLambda}), options(o),
      action_key_(action_key_of(actor_network)) {
    detail::check_choice("SACLoss", "loss_function", o.loss_function(), {"l1", "l2", "smooth_l1"});
    detail::check_choice("SACLoss", "reduction", o.reduction(), {"mean", "sum", "none"});
    REEL_CHECK_VALUE(!qvalue_networks.empty(), "SACLoss: expected at least one qvalue_network");
    REEL_CHECK_VALUE(o.num_qvalue_nets() > 0, "SACLoss: num_qvalue_nets is ", o.num_qvalue_nets(),
                     ", expected a positive number");
    REEL_CHECK_VALUE(o.alpha_init() > 0, "SACLoss: alpha_init is ", o.alpha_init(), ", expected a positive number");
    for (const std::optional<double>& bound : {o.min_alpha(), o.max_alpha()})
        REEL_CHECK_VALUE(!bound || *bound > 0, "SACLoss: a bound of alpha is ", *bound, ", expected a positive number");
    REEL_CHECK_VALUE(!o.min_alpha() || !o.max_alpha() || *o.min_alpha() <= *o.max_alpha(), "SACLoss: min_alpha is ",
                     o.min_alpha().value_or(0), " and max_alpha ", o.max_alpha().value_or(0));
    target_entropy_ = entropy_to_hold(actor_network, o);
    add_module("actor_network", actor_network.module());
    const auto nets = several(qvalue_networks, o.num_qvalue_nets());
    nets_ = std::int64_t(nets->size());
    add_module("qvalue_network", nets);
    add_target("qvalue_network", o.delay_qvalue());
    SACLossImpl::reset();
    make_value_estimator(ValueEstimators::TD0,
                         ValueEstimatorOptions().gamma(o.gamma()).keys(
                             ValueEstimatorKeys().reward(o.reward()).done(o.done()).terminated(o.terminated())));
    in_keys_ = actor_network->in_keys();
    in_keys_.push_back(action_key_);
    for (const NestedKey& key : actor_network->in_keys()) in_keys_.push_back(key.under("next"));
    for (const NestedKey& key : {o.reward(), o.done(), o.terminated()}) in_keys_.push_back(key.under("next"));
    out_keys_ = {"loss_actor", "loss_qvalue", "loss_alpha", "alpha", "entropy"};
}
void SACLossImpl::reset() {
    const Tensor initial = full({}, std::log(options.alpha_init()), TensorOptions(kFloat));
    log_alpha =
        options.fixed_alpha() ? register_buffer("log_alpha", initial) : register_parameter("log_alpha", initial);
}
AnyTensorDictModule SACLossImpl::qvalue_network(std::int64_t i) const {
    return AnyTensorDictModule::of(get_submodule("qvalue_network." + std::to_string(i)));
}
AnyTensorDictModule SACLossImpl::target_qvalue_network(std::int64_t i) const {
    return AnyTensorDictModule::of(
        get_submodule((options.delay_qvalue() ? "target_qvalue_network." : "qvalue_network.") + std::to_string(i)));
}
Tensor SACLossImpl::bounded_alpha() {
    const NoGradGuard no_grad;
    if (options.min_alpha()) log_alpha.clamp_min_(std::log(*options.min_alpha()));
    if (options.max_alpha()) log_alpha.clamp_max_(std::log(*options.max_alpha()));
    return log_alpha.exp();
}
double SACLossImpl::alpha() { return bounded_alpha().item<double>(); }

/// What each network makes of the inputs, [*B, 1].
std::vector<Tensor> SACLossImpl::values(const std::string& networks, const TensorDict& inputs) {
    std::vector<Tensor> r;
    for (std::int64_t i = 0; i < nets_; ++i) {
        const AnyTensorDictModule one = networks == "qvalue_network" ? qvalue_network(i) : target_qvalue_network(i);
        r.push_back(required(one(inputs.select(one->in_keys())), options.state_action_value()));
    }
    return r;
}

/// Of the next states: the least value of a fresh action less alpha times its log-probability.
Tensor SACLossImpl::next_value(const TensorDict& next) {
    const auto [action, log_prob] = actor_network()->get_dist(next)->sample_and_log_prob();
    TensorDict inputs = next.clone(false);
    inputs.set(action_key_, action);
    const Tensor least = std::get<0>(stack(values("target_qvalue_network", inputs), 0).min(0));
    REEL_CHECK_VALUE(least.dim() == log_prob.dim() + 1 && least.size(-1) == 1,
                     "SACLoss: the values of actions have "
                     "shape ",
                     least.sizes(), ", log-probabilities ", log_prob.sizes(), "; expected those with a trailing 1");
    return least - bounded_alpha() * log_prob.unsqueeze(-1);
}

std::pair<Tensor, Tensor> SACLossImpl::qvalue_loss(const TensorDict& tensordict) {
    for (const NestedKey& key : {options.reward(), options.done()}) required(tensordict, key.under("next"));
    Tensor target;
    {
        const NoGradGuard no_grad;
        target = estimator_->value_estimate(tensordict, next_value(next_of(tensordict))).squeeze(-1);
    }
    required(tensordict, action_key_);
    Tensor sum, error;
    for (const Tensor& value : values("qvalue_network", tensordict)) {
        const Tensor prediction = value.squeeze(-1);
        REEL_CHECK_VALUE(prediction.sizes().equals(target.sizes()), "SACLoss: the values of actions have shape ",
                         value.sizes(), ", the targets ", target.sizes());
        const Tensor loss = detail::distance_loss(prediction, target, options.loss_function());
        sum = sum.defined() ? sum + loss : loss;
        const NoGradGuard no_grad;
        const Tensor distance = (prediction - target).abs();
        error = error.defined() ? maximum(error, distance) : distance;
    }
    return {sum, error};
}

std::pair<Tensor, Tensor> SACLossImpl::actor_loss(const TensorDict& tensordict) {
    const DistributionPtr dist = actor_network()->get_dist(tensordict);
    REEL_CHECK_TYPE(dist->has_rsample(), "SACLoss: the actor's distribution ", dist->name(),
                    " has no rsample, gradients cannot reach the actor through its actions");
    const auto [action, log_prob] = dist->rsample_and_log_prob();
    TensorDict inputs = tensordict.clone(false);
    inputs.set(action_key_, action);
    const FrozenParameters frozen(get_submodule("qvalue_network")->parameters());
    const Tensor least = std::get<0>(stack(values("qvalue_network", inputs), 0).min(0)).squeeze(-1);
    return {bounded_alpha() * log_prob - least, log_prob.detach()};
}

TensorDict SACLossImpl::forward(TensorDict tensordict) {
    const auto [qvalue, error] = qvalue_loss(tensordict);
    const auto [actor, log_prob] = actor_loss(tensordict);
    const Tensor alpha = -log_alpha * (log_prob + target_entropy_);
    const auto reduced = [&](const Tensor& loss) {
        return detail::reduced("SACLoss", loss, options.reduction(),
                               detail::weights_of("SACLoss", tensordict, options.priority_weight(), loss));
    };
    TensorDict out;
    out.set("loss_actor", reduced(actor));
    out.set("loss_qvalue", reduced(qvalue));
    out.set("loss_alpha", reduced(alpha));
    out.set("alpha", bounded_alpha());
    out.set("entropy", -log_prob.mean());
    tensordict.set(options.priority(), error);
    return out;
}

} // namespace reel::rl
