// Returns and advantages of the steps in a dictionary.
#pragma once

#include <optional>

#include <reel/nn/options.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>
#include <reel/rl/objectives/value/functional.hpp>

namespace reel::rl {

/// Kinds of estimates (objectives/value/functional.hpp).
enum class ValueEstimators { TD0, TD1, TDLambda, GAE, VTrace };
std::ostream& operator<<(std::ostream& os, ValueEstimators kind);

/// Where estimators find and leave things. `reward`, `done` and `terminated` lie under "next".
struct ValueEstimatorKeys {
    REEL_ARG(NestedKey, advantage) = "advantage";
    REEL_ARG(NestedKey, value_target) = "value_target";
    REEL_ARG(NestedKey, value) = "state_value";
    REEL_ARG(NestedKey, reward) = "reward";
    REEL_ARG(NestedKey, done) = "done";
    REEL_ARG(NestedKey, terminated) = "terminated";
    REEL_ARG(NestedKey, steps_to_next_obs) = "steps_to_next_obs";
    REEL_ARG(NestedKey, sample_log_prob) = "action_log_prob";
    REEL_ARG(NestedKey, action) = "action";
};

struct ValueEstimatorOptions {
    REEL_ARG(double, gamma) = 0.99;
    REEL_ARG(double, lmbda) = 0.95;
    /// Computes the values; without one they are read from the dictionary.
    REEL_ARG(AnyTensorDictModule, value_network);
    /// Of the policy that learns (VTrace).
    REEL_ARG(AnyTensorDictModule, actor_network);
    /// GAE: advantages are shifted and scaled to mean 0 and standard deviation 1.
    REEL_ARG(bool, average_gae) = false;
    /// Gradients flow from advantages and targets to the values.
    REEL_ARG(bool, differentiable) = false;
    REEL_ARG(double, rho_thresh) = 1;
    REEL_ARG(double, c_thresh) = 1;
    REEL_ARG(ValueEstimatorKeys, keys);
};

/// Writes "advantage" and "value_target" (and the values that it computed, as "state_value" and ("next",
/// "state_value")) into a dictionary of steps [*B, T]; TD0 takes any batch. Where "steps_to_next_obs" n tells that an
/// entry spans n steps, its next value is discounted by gamma^n. (Entries that `MultiStep` made overlap: their rewards
/// would count several times in every kind but TD0.)
/// "terminated" may be missing: every end counts as one then.
class ValueEstimatorImpl : public TensorDictCloneable<ValueEstimatorImpl> {
public:
    ValueEstimatorImpl(ValueEstimators kind, const ValueEstimatorOptions& options);
    void reset() override {}
    TensorDict forward(TensorDict tensordict) override;
    /// The target alone, with the given value of the next states; nothing is written.
    Tensor value_estimate(const TensorDict& tensordict, const Tensor& next_value) const;
    ValueEstimators kind() const { return kind_; }
    std::string repr() const override;
    std::string repr_name() const override;
    ValueEstimatorOptions options;

private:
    struct Steps;
    Steps steps_of(const TensorDict& tensordict) const;
    Tensor target_of(const Steps& s, const Tensor& next_value) const;
    void add_values(TensorDict& tensordict);
    Tensor log_prob_now(const TensorDict& tensordict);
    ValueEstimators kind_;
};

#define REEL_VALUE_ESTIMATOR(Name, kind)                                                                               \
    class Name : public nn::ModuleHolder<ValueEstimatorImpl> {                                                         \
    public:                                                                                                            \
        using nn::ModuleHolder<ValueEstimatorImpl>::ModuleHolder;                                                      \
        explicit Name(const ValueEstimatorOptions& options = {})                                                       \
            : ModuleHolder(std::make_shared<ValueEstimatorImpl>(ValueEstimators::kind, options)) {}                    \
    }
REEL_VALUE_ESTIMATOR(TD0Estimator, TD0);
REEL_VALUE_ESTIMATOR(TD1Estimator, TD1);
REEL_VALUE_ESTIMATOR(TDLambdaEstimator, TDLambda);
REEL_VALUE_ESTIMATOR(GAE, GAE);
REEL_VALUE_ESTIMATOR(VTrace, VTrace);
#undef REEL_VALUE_ESTIMATOR

} // namespace reel::rl
