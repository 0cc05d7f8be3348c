// What losses over dictionaries share: target networks, value estimators, reductions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <reel/rl/modules/tensordict_module_base.hpp>
#include <reel/rl/objectives/value/estimators.hpp>

namespace reel::rl {

/// Beside being a module over dictionaries (whose forward returns a new dictionary of named losses with batch size [],
/// each with its gradient), a loss keeps copies of networks for its targets. They are frozen: their parameters do not
/// require gradients, and no gradient flows through them. They are submodules ("target_value_network", ...), so that
/// they are saved with the rest; `SoftUpdate` and `HardUpdate` let them follow.
class LossModule {
public:
    virtual ~LossModule();
    /// Each network that has a delayed copy, and the copy.
    std::vector<std::pair<nn::ModulePtr, nn::ModulePtr>> target_networks();
    /// Replaces the kind of estimate that targets come from, and its discount.
    void make_value_estimator(ValueEstimators kind, const ValueEstimatorOptions& options = {});
    const ValueEstimatorImpl& value_estimator() const { return *estimator_; }

protected:
    /// `kinds`: those that the loss can use.
    LossModule(std::string name, std::vector<ValueEstimators> kinds);
    virtual nn::Module& loss_module() = 0;
    virtual const nn::Module& loss_module() const = 0;
    /// Registers a frozen copy of the network `name` as "target_<name>"; the network itself unless `delayed`.
    void add_target(const std::string& name, bool delayed);
    AnyTensorDictModule network(const std::string& name) const;
    /// The delayed copy where there is one.
    AnyTensorDictModule target(const std::string& name) const;
    Tensor required(const TensorDict& tensordict, const NestedKey& key) const;
    TensorDict next_of(const TensorDict& tensordict) const;
    std::string loss_name_;
    std::shared_ptr<ValueEstimatorImpl> estimator_;

private:
    std::vector<ValueEstimators> kinds_;
    std::vector<std::string> targets_; ///< names of networks with a copy
};

template <class Derived> class LossOf : public TensorDictCloneable<Derived>, public LossModule {
public:
    void reset() override {}

protected:
    using LossModule::LossModule;
    nn::Module& loss_module() override { return *this; }
    const nn::Module& loss_module() const override { return *this; }
};

} // namespace reel::rl
