// Distances, reductions and other small things that several losses need.
#pragma once

#include <string>

#include <reel/autograd/tensor.hpp>
#include <reel/rl/objectives/loss_module.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl::detail {

void check_choice(const char* loss, const char* option, const std::string& value,
                  std::initializer_list<const char*> accepted);
/// Elementwise; `kind` is l1, l2 or smooth_l1.
Tensor distance_loss(const Tensor& prediction, const Tensor& target, const std::string& kind);
/// `weights` may be undefined; a mean with weights is divided by their sum.
Tensor reduced(const char* loss, const Tensor& values, const std::string& reduction, const Tensor& weights = {});
/// The entry `key` with the shape of `values`; undefined when there is none.
Tensor weights_of(const char* loss, const TensorDict& tensordict, const NestedKey& key, const Tensor& values);

/// What the losses with an actor and a critic share: their options are checked, and the critic's values make the
/// advantages (GAE) under the keys that the options name.
template <class Options>
ValueEstimatorOptions critic_estimator(const char* loss, const Options& o, const AnyTensorDictModule& critic) {
    check_choice(loss, "loss_critic_type", o.loss_critic_type(), {"l1", "l2", "smooth_l1"});
    check_choice(loss, "reduction", o.reduction(), {"mean", "sum", "none"});
    return ValueEstimatorOptions().gamma(o.gamma()).lmbda(o.lmbda()).value_network(critic).keys(
        ValueEstimatorKeys().advantage(o.advantage()).value_target(o.value_target()).value(o.value()));
}

} // namespace reel::rl::detail
