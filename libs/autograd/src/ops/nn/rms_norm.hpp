// RMS norm in two ways.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::rms {

/// By squares and means over the trailing `dims` dimensions, for all devices. `weight` may be undefined; shapes have
/// been checked.
Tensor by_ops(const Tensor& input, std::int64_t dims, const Tensor& weight, double eps);
/// By the device's kernels; undefined where it has none or does not take the case. Gradients are the kernel's where it
/// takes them, too; else, and those of higher orders, those of the ops.
Tensor in_one_pass(const Tensor& input, std::int64_t dims, const Tensor& weight, double eps);

} // namespace reel::rms
