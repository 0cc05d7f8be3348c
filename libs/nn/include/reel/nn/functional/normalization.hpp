// Functional forms of the norms over instances and neighbours.
#pragma once

#include <reel/nn/modules/normalization.hpp>

namespace reel::nn::functional {

/// What InstanceNorm holds comes as options; with `use_input_stats` the running statistics are only updated.
struct InstanceNormFuncOptions {
    REEL_ARG(Tensor, running_mean) = {};
    REEL_ARG(Tensor, running_var) = {};
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(Tensor, bias) = {};
    REEL_ARG(bool, use_input_stats) = true;
    REEL_ARG(double, momentum) = 0.1;
    REEL_ARG(double, eps) = 1e-5;
};
using LocalResponseNormFuncOptions = LocalResponseNormOptions;

/// Each channel of each example of [N, C, *] with its own mean and variance.
Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {});
/// Each element of [N, C, *] over the squares of `size` neighbouring channels.
Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options);

} // namespace reel::nn::functional
