// Distances, reductions and other small things that several losses need.
#pragma once

#include <string>

#include <reel/autograd/tensor.hpp>
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

} // namespace reel::rl::detail
