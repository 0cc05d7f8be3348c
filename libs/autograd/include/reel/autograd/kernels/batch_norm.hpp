// The kernel of batch norm in training in one call, for devices whose libraries have it.
#pragma once

#include <reel/autograd/kernels/norm.hpp>

namespace reel::kernels {

/// Moments of each channel of x, and y = (x - mean) rstd weight + bias: fills y, `mean` and `rstd` = 1 / sqrt(variance
/// + eps). All are dense and of one dtype; weight and bias may be undefined. False, with nothing done, where the
/// library does not take the case: the op then goes by `norm_moments` and `norm_forward`, as it does on devices without
/// this kernel, the CPU among them.
inline constinit Kernel<bool(const char* op, const NormGeometry& g, const Tensor& y, const Tensor& mean,
                             const Tensor& rstd, const Tensor& x, const Tensor& weight, const Tensor& bias, double eps)>
    batch_norm{"batch_norm"};

} // namespace reel::kernels
