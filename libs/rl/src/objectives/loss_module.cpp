#include <reel/rl/objectives/loss_module.hpp>

#include <algorithm>

namespace reel::rl {

LossModule::LossModule(std::string name, std::vector<ValueEstimators> kinds)
    : loss_name_(std::move(name)), kinds_(std::move(kinds)) {}
LossModule::~LossModule() = default;

void LossModule::make_value_estimator(ValueEstimators kind, const ValueEstimatorOptions& options) {
    if (std::find(kinds_.begin(), kinds_.end(), kind) == kinds_.end()) {
        std::string accepted;
        for (const ValueEstimators one : kinds_) accepted += str(accepted.empty() ? "" : ", ", one);
        REEL_THROW(NotImplementedError, loss_name_, ": make_value_estimator: ", kind,
                   " is not for this loss; expected ", accepted);
    }
    estimator_ = std::make_shared<ValueEstimatorImpl>(kind, options);
}

void LossModule::add_target(const std::string& name, bool delayed) {
    if (!delayed) return;
    nn::ModulePtr copy;
    try {
        copy = loss_module().get_submodule(name)->clone(std::nullopt, false);
    } catch (Error& e) {
        e.add_context(loss_name_ + ": a delayed copy of " + name +
                      " is made; modules that can be copied derive from nn::Cloneable");
        throw;
    }
    copy->requires_grad_(false);
    loss_module().add_module("target_" + name, std::move(copy));
    targets_.push_back(name);
}
AnyTensorDictModule LossModule::network(const std::string& name) const {
    return AnyTensorDictModule::of(loss_module().get_submodule(name));
}
AnyTensorDictModule LossModule::target(const std::string& name) const {
    const bool delayed = std::find(targets_.begin(), targets_.end(), name) != targets_.end();
    return network(delayed ? "target_" + name : name);
}
std::vector<std::pair<nn::ModulePtr, nn::ModulePtr>> LossModule::target_networks() {
    std::vector<std::pair<nn::ModulePtr, nn::ModulePtr>> r;
    for (const std::string& name : targets_)
        r.emplace_back(loss_module().get_submodule(name), loss_module().get_submodule("target_" + name));
    return r;
}

Tensor LossModule::required(const TensorDict& tensordict, const NestedKey& key) const {
    try {
        return tensordict[key];
    } catch (Error& e) {
        e.add_context("computing " + loss_name_);
        throw;
    }
}
TensorDict LossModule::next_of(const TensorDict& tensordict) const {
    try {
        return tensordict.dict("next");
    } catch (Error& e) {
        e.add_context("computing " + loss_name_);
        throw;
    }
}

} // namespace reel::rl
