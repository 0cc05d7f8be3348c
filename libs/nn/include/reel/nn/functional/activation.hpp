// Functional forms of the activations that go beyond one op: the layers' options, nothing held.
#pragma once

#include <cstdint>
#include <optional>

#include <reel/nn/modules/activation.hpp>

namespace reel::nn::functional {

using SELUFuncOptions = SELUOptions;
using ReLU6FuncOptions = ReLU6Options;
using CELUFuncOptions = CELUOptions;
using HardtanhFuncOptions = HardtanhOptions;
using HardshrinkFuncOptions = HardshrinkOptions;
using SoftshrinkFuncOptions = SoftshrinkOptions;
using ThresholdFuncOptions = ThresholdOptions;
using GLUFuncOptions = GLUOptions;
using MishFuncOptions = MishOptions;
using HardsigmoidFuncOptions = HardsigmoidOptions;
using HardswishFuncOptions = HardswishOptions;

/// RReLU's options and, since no layer says it, whether this is training: slopes are drawn then, else their mean.
struct RReLUFuncOptions {
    REEL_ARG(double, lower) = 1.0 / 8;
    REEL_ARG(double, upper) = 1.0 / 3;
    REEL_ARG(bool, training) = false;
    REEL_ARG(bool, inplace) = false;
};

/// Activations [*] to [*] of the layers of the same names; with `inplace` the input itself is overwritten and returned.
Tensor selu(const Tensor& input, const SELUFuncOptions& options = {});
Tensor relu6(const Tensor& input, const ReLU6FuncOptions& options = {});
Tensor celu(const Tensor& input, const CELUFuncOptions& options = {});
Tensor mish(const Tensor& input, const MishFuncOptions& options = {});
Tensor hardsigmoid(const Tensor& input, const HardsigmoidFuncOptions& options = {});
Tensor hardswish(const Tensor& input, const HardswishFuncOptions& options = {});
/// ValueError unless min_val is below max_val.
Tensor hardtanh(const Tensor& input, const HardtanhFuncOptions& options = {});
Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options = {});
Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options = {});
Tensor threshold(const Tensor& input, const ThresholdFuncOptions& options);
Tensor rrelu(const Tensor& input, const RReLUFuncOptions& options = {});
Tensor prelu(const Tensor& input, const Tensor& weight);
/// Halves dimension `dim`: the first half times the sigmoid of the second.
Tensor glu(const Tensor& input, const GLUFuncOptions& options = {});

} // namespace reel::nn::functional
