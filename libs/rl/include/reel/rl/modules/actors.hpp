// Policies and value functions.
#pragma once

#include <reel/rl/modules/probabilistic.hpp>
#include <reel/rl/modules/tensordict_module.hpp>
#include <reel/rl/modules/tensordict_sequential.hpp>
#include <reel/rl/specs/tensor_spec.hpp>

namespace reel::rl {

struct ProbabilisticActorOptions {
    REEL_ARG(NestedKey, action_key) = "action";
    REEL_ARG(bool, return_log_prob) = false;
    /// By default "<action key>_log_prob".
    REEL_ARG(std::optional<NestedKey>, log_prob_key);
    REEL_ARG(ExplorationType, default_interaction_type) = ExplorationType::DETERMINISTIC;
    /// Of the action: losses read its size.
    REEL_ARG(TensorSpec, spec);
};
/// A policy: `module` computes the parameters `in_keys` of a distribution, of which an action is taken as
/// ProbabilisticTensorDictModule says. Printing and state are those of a sequence of both.
class ProbabilisticActorImpl : public detail::SequenceOf<ProbabilisticActorImpl> {
public:
    ProbabilisticActorImpl(const AnyTensorDictModule& module, std::vector<NestedKey> in_keys,
                           DistributionClass distribution, const ProbabilisticActorOptions& options = {});
    static constexpr const char* printed_name = "ProbabilisticActor";
    const NestedKey& action_key() const { return options.action_key(); }
    const NestedKey& log_prob_key() const { return options.log_prob_key().value(); }
    /// Of the action in the dictionary.
    Tensor log_prob(const TensorDict& tensordict);
    ProbabilisticActorOptions options;
};
class ProbabilisticActor : public nn::ModuleHolder<ProbabilisticActorImpl> {
public:
    using nn::ModuleHolder<ProbabilisticActorImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = ProbabilisticActorImpl;
    ProbabilisticActor(const AnyTensorDictModule& module, std::vector<NestedKey> in_keys,
                       DistributionClass distribution, const ProbabilisticActorOptions& options = {})
        : ModuleHolder(
              std::make_shared<ProbabilisticActorImpl>(module, std::move(in_keys), std::move(distribution), options)) {}
};

/// How a choice among n is written down.
enum class ActionSpace {
    ONE_HOT,     ///< a vector of n with a 1 in it
    CATEGORICAL, ///< its number
};
/// That of OneHot and Categorical specs; ValueError for others.
ActionSpace action_space_of(const TensorSpec& spec);

struct QValueModuleOptions {
    REEL_ARG(ActionSpace, action_space) = ActionSpace::ONE_HOT;
    REEL_ARG(NestedKey, action_value_key) = "action_value";
    /// Where a mask (bool, shape of the values) is that allows actions; all are by default.
    REEL_ARG(std::optional<NestedKey>, action_mask_key);
    REEL_ARG(NestedKey, action_key) = "action";
    REEL_ARG(NestedKey, chosen_action_value_key) = "chosen_action_value";
    /// Of the actions.
    REEL_ARG(ScalarType, dtype) = kLong;
};
/// The action of the highest value (the first of several), and that value with a trailing 1.
class QValueModuleImpl : public TensorDictCloneable<QValueModuleImpl> {
public:
    explicit QValueModuleImpl(const QValueModuleOptions& options = {});
    void reset() override {}
    TensorDict forward(TensorDict tensordict) override;
    std::string repr() const override;
    QValueModuleOptions options;
};
REEL_MODULE(QValueModule);

struct QValueActorOptions {
    /// OneHot or Categorical; its kind is the action space, its dtype that of the actions (int64 without a spec).
    REEL_ARG(TensorSpec, spec);
    /// Where no spec is given.
    REEL_ARG(ActionSpace, action_space) = ActionSpace::ONE_HOT;
    REEL_ARG(std::optional<NestedKey>, action_mask_key);
};
/// A greedy policy: `module` computes a value for each action ("action_value") of the entries `in_keys`, QValueModule
/// chooses.
class QValueActorImpl : public detail::SequenceOf<QValueActorImpl> {
public:
    QValueActorImpl(nn::ModulePtr module, std::vector<NestedKey> in_keys, const QValueActorOptions& options = {});
    static constexpr const char* printed_name = "QValueActor";
    ActionSpace action_space() const { return options.action_space(); }
    QValueActorOptions options;
};
class QValueActor : public nn::ModuleHolder<QValueActorImpl> {
public:
    using nn::ModuleHolder<QValueActorImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = QValueActorImpl;
    template <class M>
    QValueActor(M&& module, std::vector<NestedKey> in_keys, const QValueActorOptions& options = {})
        : ModuleHolder(std::make_shared<QValueActorImpl>(detail::module_of(std::forward<M>(module)), std::move(in_keys),
                                                         options)) {}
};

/// A value function: writes "state_value", or "state_action_value" when "action" is among `in_keys`, unless other
/// `out_keys` are given. Several entries are arguments of one call; `MLP` joins them.
class ValueOperatorImpl : public detail::WrapperOf<ValueOperatorImpl> {
public:
    ValueOperatorImpl(nn::ModulePtr module, std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys = {});
    static constexpr const char* printed_name = "ValueOperator";
};
class ValueOperator : public nn::ModuleHolder<ValueOperatorImpl> {
public:
    using nn::ModuleHolder<ValueOperatorImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = ValueOperatorImpl;
    template <class M>
    ValueOperator(M&& module, std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys = {})
        : ModuleHolder(std::make_shared<ValueOperatorImpl>(detail::module_of(std::forward<M>(module)),
                                                           std::move(in_keys), std::move(out_keys))) {}
};

} // namespace reel::rl
