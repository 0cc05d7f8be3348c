// Distributions whose parameters are entries of a dictionary.
#pragma once

#include <functional>

#include <reel/autograd/ordered_dict.hpp>
#include <reel/distributions/bernoulli.hpp>
#include <reel/distributions/categorical.hpp>
#include <reel/distributions/delta.hpp>
#include <reel/distributions/independent.hpp>
#include <reel/distributions/normal.hpp>
#include <reel/distributions/one_hot_categorical.hpp>
#include <reel/distributions/tanh_normal.hpp>
#include <reel/nn/options.hpp>
#include <reel/rl/modules/exploration_type.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>

namespace reel::rl {

/// Parameters of a distribution by name ("loc", "scale", "logits", ...).
using DistributionParameters = OrderedDict<std::string, Tensor>;

/// How a distribution is made of its parameters.
struct DistributionClass {
    std::string name;
    std::function<DistributionPtr(const DistributionParameters&)> make;
};
/// `distribution_class<TanhNormal>(TanhNormalOptions().low(...))`: classes of reel::distributions. Those that are
/// one event per element (Normal, Bernoulli) become Independent over the last dimension, so that a log-probability
/// belongs to the whole action, unless `event_dims` says otherwise. OneHotCategorical draws int64, as specs of actions
/// do. KeyError for names that the class does not take.
template <class D> DistributionClass distribution_class();
template <class D> DistributionClass distribution_class(std::int64_t event_dims);
template <class D> DistributionClass distribution_class(const distributions::TanhNormalOptions& options);
template <> DistributionClass distribution_class<distributions::Categorical>();
template <> DistributionClass distribution_class<distributions::OneHotCategorical>();
template <> DistributionClass distribution_class<distributions::Normal>();
template <> DistributionClass distribution_class<distributions::Normal>(std::int64_t event_dims);
template <> DistributionClass distribution_class<distributions::Bernoulli>();
template <> DistributionClass distribution_class<distributions::Bernoulli>(std::int64_t event_dims);
template <> DistributionClass distribution_class<distributions::Delta>();
template <> DistributionClass distribution_class<distributions::TanhNormal>();
template <>
DistributionClass distribution_class<distributions::TanhNormal>(const distributions::TanhNormalOptions& options);

struct ProbabilisticOptions {
    /// Also writes the log-probability of what was taken.
    REEL_ARG(bool, return_log_prob) = false;
    /// Where; by default "<out key>_log_prob" beside the out key.
    REEL_ARG(std::optional<NestedKey>, log_prob_key);
    /// When no `set_exploration_type` is alive.
    REEL_ARG(ExplorationType, default_interaction_type) = ExplorationType::DETERMINISTIC;
    /// Draws that stand for a mean that has no formula.
    REEL_ARG(std::int64_t, n_empirical_estimate) = 1000;
};

/// Makes a distribution of the entries `in_keys`, whose last names are the parameters' ("loc", ("agent", "scale")), and
/// writes a value under `out_keys[0]`: a draw (with a gradient where the distribution has one), its mode, mean or
/// deterministic sample, as the exploration type says.
class ProbabilisticTensorDictModuleImpl : public TensorDictCloneable<ProbabilisticTensorDictModuleImpl> {
public:
    ProbabilisticTensorDictModuleImpl(std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys,
                                      DistributionClass distribution, const ProbabilisticOptions& options = {});
    void reset() override {}
    TensorDict forward(TensorDict tensordict) override;
    DistributionPtr get_dist(TensorDict tensordict) override;
    /// Of the entry `out_keys[0]`.
    Tensor log_prob(const TensorDict& tensordict);
    const NestedKey& log_prob_key() const { return log_prob_key_; }
    std::string repr() const override;
    ProbabilisticOptions options;

private:
    DistributionClass distribution_;
    NestedKey log_prob_key_;
};
class ProbabilisticTensorDictModule : public nn::ModuleHolder<ProbabilisticTensorDictModuleImpl> {
public:
    using nn::ModuleHolder<ProbabilisticTensorDictModuleImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = ProbabilisticTensorDictModuleImpl;
    ProbabilisticTensorDictModule(std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys,
                                  DistributionClass distribution, const ProbabilisticOptions& options = {})
        : ModuleHolder(std::make_shared<ProbabilisticTensorDictModuleImpl>(std::move(in_keys), std::move(out_keys),
                                                                           std::move(distribution), options)) {}
};

} // namespace reel::rl
