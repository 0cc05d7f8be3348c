#include <reel/rl/modules/actors.hpp>

#include <algorithm>

namespace reel::rl {

namespace {
ProbabilisticTensorDictModule head(std::vector<NestedKey> in_keys, DistributionClass distribution,
                                   const ProbabilisticActorOptions& o) {
    return {std::move(in_keys),
            {o.action_key()},
            std::move(distribution),
            ProbabilisticOptions()
                .return_log_prob(o.return_log_prob())
                .log_prob_key(o.log_prob_key())
                .default_interaction_type(o.default_interaction_type())};
}
} // namespace

ProbabilisticActorImpl::ProbabilisticActorImpl(const AnyTensorDictModule& module, std::vector<NestedKey> in_keys,
                                               DistributionClass distribution, const ProbabilisticActorOptions& o)
    : SequenceOf({module, head(std::move(in_keys), std::move(distribution), o)}), options(o) {
    if (!options.log_prob_key()) options.log_prob_key(o.action_key().with_back(o.action_key().back() + "_log_prob"));
}
Tensor ProbabilisticActorImpl::log_prob(const TensorDict& tensordict) {
    return get_dist(tensordict)->log_prob(tensordict[action_key()]);
}

ActionSpace action_space_of(const TensorSpec& spec) {
    const std::string_view name = spec.name();
    if (name == "OneHot") return ActionSpace::ONE_HOT;
    REEL_CHECK_VALUE(name == "Categorical", "expected an action spec OneHot or Categorical, got ", spec.summary());
    return ActionSpace::CATEGORICAL;
}

QValueModuleImpl::QValueModuleImpl(const QValueModuleOptions& o) : options(o) {
    in_keys_ = {o.action_value_key()};
    if (o.action_mask_key()) in_keys_.push_back(*o.action_mask_key());
    out_keys_ = {o.action_key(), o.action_value_key(), o.chosen_action_value_key()};
}
TensorDict QValueModuleImpl::forward(TensorDict tensordict) {
    Tensor values = tensordict[options.action_value_key()];
    REEL_CHECK_VALUE(values.dim() > 0 && values.size(-1) > 0, "QValueModule: ", options.action_value_key().str(),
                     " needs a last dimension of actions, got shape ", values.sizes());
    Tensor allowed_values = values;
    if (options.action_mask_key()) {
        const Tensor mask = tensordict[*options.action_mask_key()];
        REEL_CHECK_VALUE(mask.sizes().equals(values.sizes()), "QValueModule: the mask ",
                         options.action_mask_key()->str(), " has shape ", mask.sizes(), ", the values have ",
                         values.sizes());
        allowed_values = values.masked_fill(mask.logical_not(), -INFINITY);
    }
    const Tensor index = allowed_values.detach().argmax(-1, true);
    const bool number = options.action_space() == ActionSpace::CATEGORICAL;
    const TensorOptions wanted = TensorOptions(options.dtype()).device(values.device());
    tensordict.set(options.action_key(), number ? index.squeeze(-1).to(wanted)
                                                : values.new_zeros(values.sizes(), wanted).scatter_(-1, index, 1));
    tensordict.set(options.chosen_action_value_key(), values.gather(-1, index));
    return tensordict;
}
std::string QValueModuleImpl::repr() const { return repr_of("QValueModule", {keys_text()}); }

namespace {
QValueActorOptions completed(QValueActorOptions o) {
    if (o.spec().defined()) o.action_space(action_space_of(o.spec()));
    return o;
}
} // namespace

QValueActorImpl::QValueActorImpl(nn::ModulePtr module, std::vector<NestedKey> in_keys, const QValueActorOptions& o)
    : SequenceOf({TensorDictModule(std::move(module), std::move(in_keys), {"action_value"}),
                  QValueModule(QValueModuleOptions()
                                   .action_space(completed(o).action_space())
                                   .dtype(o.spec().defined() ? o.spec().dtype() : kLong)
                                   .action_mask_key(o.action_mask_key()))}),
      options(completed(o)) {}

namespace {
std::vector<NestedKey> value_key(const std::vector<NestedKey>& in_keys, std::vector<NestedKey> out_keys) {
    if (!out_keys.empty()) return out_keys;
    const bool of_actions = std::find(in_keys.begin(), in_keys.end(), NestedKey("action")) != in_keys.end();
    return {of_actions ? "state_action_value" : "state_value"};
}
} // namespace

ValueOperatorImpl::ValueOperatorImpl(nn::ModulePtr module, std::vector<NestedKey> in_keys,
                                     std::vector<NestedKey> out_keys)
    : WrapperOf(std::move(module), in_keys, value_key(in_keys, std::move(out_keys))) {}

} // namespace reel::rl
