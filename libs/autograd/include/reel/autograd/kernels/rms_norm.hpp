// Kernels of RMS norm in one pass, for devices whose libraries have them.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel::kernels {

/// y = x rstd weight over rows of `inner` elements, rstd = 1 / sqrt(mean x^2 + eps); fills y and one `rstd` for each
/// row. All are dense and of one dtype. False, with nothing done, where the library does not take the case: the op then
/// goes by squares and means, as it does on devices without this kernel, the CPU among them.
inline constinit Kernel<bool(const char* op, const Tensor& y, const Tensor& rstd, const Tensor& x, const Tensor& weight,
                             std::int64_t inner, double eps)>
    rms_norm{"rms_norm"};
/// Fills the gradients of x and weight from that of y. False as above.
inline constinit Kernel<bool(const char* op, const Tensor& gx, const Tensor& gw, const Tensor& gy, const Tensor& x,
                             const Tensor& rstd, const Tensor& weight, std::int64_t inner)>
    rms_norm_backward{"rms_norm"};

} // namespace reel::kernels
