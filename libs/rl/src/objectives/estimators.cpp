#include <reel/autograd/ops/factory/full.hpp>
#include <reel/rl/objectives/value/estimators.hpp>

#include <ostream>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel::rl {

std::ostream& operator<<(std::ostream& os, ValueEstimators kind) {
    constexpr const char* names[] = {"TD0", "TD1", "TDLambda", "GAE", "VTrace"};
    return os << names[int(kind)];
}

struct ValueEstimatorImpl::Steps {
    Tensor reward, done, terminated;
    Factor gamma; ///< of each step where there are steps_to_next_obs
};

ValueEstimatorImpl::ValueEstimatorImpl(ValueEstimators kind, const ValueEstimatorOptions& o) : options(o), kind_(kind) {
    REEL_CHECK_VALUE(o.gamma() >= 0 && o.gamma() <= 1, repr_name(), ": gamma is ", o.gamma(),
                     ", expected a number within [0, 1]");
    REEL_CHECK_VALUE(o.lmbda() >= 0 && o.lmbda() <= 1, repr_name(), ": lmbda is ", o.lmbda(),
                     ", expected a number within [0, 1]");
    REEL_CHECK_VALUE(kind != ValueEstimators::VTrace || o.actor_network(),
                     "VTrace: expected an actor_network, whose log-probabilities it compares");
    const ValueEstimatorKeys& k = o.keys();
    for (const NestedKey& key : {k.reward(), k.done(), k.terminated()}) in_keys_.push_back(key.under("next"));
    if (o.value_network())
        for (const NestedKey& key : o.value_network()->in_keys()) {
            in_keys_.push_back(key);
            in_keys_.push_back(key.under("next"));
        }
    out_keys_ = {k.advantage(), k.value_target()};
}
std::string ValueEstimatorImpl::repr_name() const {
    std::string r = str(kind_);
    return kind_ == ValueEstimators::GAE || kind_ == ValueEstimators::VTrace ? r : r + "Estimator";
}
std::string ValueEstimatorImpl::repr() const {
    return str(repr_name(), "(gamma=", options.gamma(), ", lmbda=", options.lmbda(), ")");
}

ValueEstimatorImpl::Steps ValueEstimatorImpl::steps_of(const TensorDict& tensordict) const {
    const ValueEstimatorKeys& k = options.keys();
    Steps s{{}, {}, {}, options.gamma()};
    try {
        const TensorDict next = tensordict.dict("next");
        s.reward = next[k.reward()];
        if (!s.reward.is_floating_point()) s.reward = s.reward.to(get_default_dtype());
        s.done = next[k.done()];
        s.terminated = next.get(k.terminated(), s.done);
    } catch (Error& e) {
        e.add_context("computing " + repr_name());
        throw;
    }
    const std::optional<Tensor> count = tensordict.get(k.steps_to_next_obs());
    if (!count) return s;
    REEL_CHECK_VALUE(count->numel() == s.reward.numel(), repr_name(), ": ", k.steps_to_next_obs().str(), " has shape ",
                     count->sizes(), ", the reward ", s.reward.sizes());
    const Tensor base = full({}, options.gamma(), TensorOptions(s.reward.scalar_type()).device(s.reward.device()));
    s.gamma = base.pow(count->reshape(s.reward.sizes()));
    return s;
}
Tensor ValueEstimatorImpl::target_of(const Steps& s, const Tensor& next_value) const {
    if (kind_ == ValueEstimators::TD0) return td0_return_estimate(s.gamma, next_value, s.reward, s.terminated);
    if (kind_ == ValueEstimators::TD1) return td1_return_estimate(s.gamma, next_value, s.reward, s.done, s.terminated);
    return td_lambda_return_estimate(s.gamma, options.lmbda(), next_value, s.reward, s.done, s.terminated);
}
Tensor ValueEstimatorImpl::value_estimate(const TensorDict& tensordict, const Tensor& next_value) const {
    return target_of(steps_of(tensordict), next_value);
}

void ValueEstimatorImpl::add_values(TensorDict& tensordict) {
    const AnyTensorDictModule& network = options.value_network();
    const NestedKey& key = options.keys().value();
    if (!network) return;
    TensorDict next = tensordict.dict("next");
    tensordict.set(key, network(tensordict.select(network->in_keys()))[key]);
    next.set(key, network(next.select(network->in_keys()))[key]);
}
Tensor ValueEstimatorImpl::log_prob_now(const TensorDict& tensordict) {
    const Tensor r = options.actor_network()->get_dist(tensordict)->log_prob(tensordict[options.keys().action()]);
    return r.unsqueeze(-1);
}

TensorDict ValueEstimatorImpl::forward(TensorDict tensordict) {
    const AutoGradMode grad(options.differentiable() && GradMode::is_enabled());
    const ValueEstimatorKeys& k = options.keys();
    const Steps s = steps_of(tensordict);
    add_values(tensordict);
    Tensor value, next_value;
    try {
        value = tensordict[k.value()];
        next_value = tensordict[k.value().under("next")];
    } catch (Error& e) {
        e.add_context(repr_name() + " reads values, since it has no value_network");
        throw;
    }
    AdvantageEstimate r;
    if (kind_ == ValueEstimators::GAE) {
        r = generalized_advantage_estimate(s.gamma, options.lmbda(), value, next_value, s.reward, s.done, s.terminated);
        if (options.average_gae() && r.advantage.numel() > 1)
            r.advantage = (r.advantage - r.advantage.mean()) / r.advantage.std().clamp_min(1e-4);
    } else if (kind_ == ValueEstimators::VTrace) {
        Tensor acted = tensordict[k.sample_log_prob()];
        if (acted.dim() < s.reward.dim()) acted = acted.unsqueeze(-1);
        r = vtrace_advantage_estimate(s.gamma, log_prob_now(tensordict), acted, value, next_value, s.reward, s.done,
                                      s.terminated, options.rho_thresh(), options.c_thresh());
    } else {
        r.value_target = target_of(s, next_value);
        r.advantage = r.value_target - value;
    }
    tensordict.set(k.advantage(), r.advantage);
    tensordict.set(k.value_target(), r.value_target);
    return tensordict;
}

} // namespace reel::rl
