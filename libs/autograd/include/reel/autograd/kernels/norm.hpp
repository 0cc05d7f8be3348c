// Kernels of normalisation: moments, affine maps and their gradients.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

/// x [batch, channels, length], dense. Places that share moments: one channel over the whole batch (`groups` 0), or one
/// of `groups` groups of channels in one example.
struct NormGeometry {
    std::int64_t batch, channels, length, groups;

    std::int64_t num_stats() const { return groups == 0 ? channels : batch * groups; }
    std::int64_t stat(std::int64_t n, std::int64_t c) const {
        return groups == 0 ? c : n * groups + c / (channels / groups);
    }
    /// Elements that share one pair of moments.
    std::int64_t count() const { return groups == 0 ? batch * length : channels / groups * length; }
};

// All tensors are dense. x, y, weights, biases and gradients have one dtype, float32 or float64, and so have `mean` and
// `rstd` where nothing else is said; sums of sums are kept in float64. Weights and biases may be undefined, and so may
// gradients that nobody wants.
namespace cpu {
void norm_moments(const char* op, const NormGeometry& g, const Tensor& mean, const Tensor& var, const Tensor& x);
void norm_rstd(const char* op, const Tensor& rstd, const Tensor& var, double eps);
void norm_running(const char* op, const Tensor& running, const Tensor& before, const Tensor& moments, double scale,
                  double momentum);
void norm_forward(const char* op, const NormGeometry& g, const Tensor& y, const Tensor& x, const Tensor& mean,
                  const Tensor& rstd, const Tensor& weight, const Tensor& bias);
void group_norm(const char* op, const NormGeometry& g, const Tensor& y, const Tensor& mean, const Tensor& rstd,
                const Tensor& x, const Tensor& weight, const Tensor& bias, double eps);
void norm_backward(const char* op, const NormGeometry& g, const Tensor& gy, const Tensor& x, const Tensor& mean,
                   const Tensor& rstd, const Tensor& weight, bool constant_stats, const Tensor& gx, const Tensor& gw,
                   const Tensor& gb);
void layer_norm(const char* op, const Tensor& y, const Tensor& mean, const Tensor& rstd, const Tensor& x,
                const Tensor& weight, const Tensor& bias, std::int64_t inner, double eps);
void layer_norm_backward(const char* op, const Tensor& gy, const Tensor& x, const Tensor& mean, const Tensor& rstd,
                         const Tensor& weight, std::int64_t inner, const Tensor& gx, const Tensor& gw,
                         const Tensor& gb);
} // namespace cpu

namespace kernels {
/// Means and biased variances of x, float64, one pair per stat.
inline constinit Kernel<decltype(cpu::norm_moments), Writes<2, 3>> norm_moments{"batch_norm", &cpu::norm_moments};
/// rstd = 1 / sqrt(var + eps), computed in float64, which `var` is; `rstd` is float32 or float64.
inline constinit Kernel<decltype(cpu::norm_rstd), Writes<1>> norm_rstd{"batch_norm", &cpu::norm_rstd};
/// running = momentum scale m + (1 - momentum) before, m being the mean over examples of `moments` [examples,
/// channels]; all are float64.
inline constinit Kernel<decltype(cpu::norm_running), Writes<1>> norm_running{"batch_norm", &cpu::norm_running};
/// y = (x - mean) rstd weight + bias, with one mean and rstd per stat, one weight and bias per channel.
inline constinit Kernel<decltype(cpu::norm_forward), Writes<2>> norm_forward{"batch_norm", &cpu::norm_forward};
/// `norm_forward` by x's own moments, in one call; fills mean and rstd, too. x and y may have 16 bits. A device need
/// not have it.
inline constinit Kernel<decltype(cpu::group_norm), Writes<2, 3, 4>> group_norm{"group_norm", &cpu::group_norm};
/// The gradients of `norm_forward` in x, weight and bias; `constant_stats`: mean and rstd did not come from x.
inline constinit Kernel<decltype(cpu::norm_backward), Writes<8, 9, 10>> norm_backward{"batch_norm",
                                                                                      &cpu::norm_backward};
// The last two and norm_moments for x, y and their gradients in 16 bits, beside float32 for all that is float32 or
// float64 there. A device need not have them (`has` tells): the op then widens what it hands on.
inline constinit Kernel<decltype(cpu::norm_moments), Writes<2, 3>> norm_moments_of_16_bits{"batch_norm",
                                                                                           &cpu::norm_moments};
inline constinit Kernel<decltype(cpu::norm_forward), Writes<2>> norm_forward_of_16_bits{"batch_norm",
                                                                                        &cpu::norm_forward};
inline constinit Kernel<decltype(cpu::norm_backward), Writes<8, 9, 10>> norm_backward_of_16_bits{"batch_norm",
                                                                                                 &cpu::norm_backward};
/// `norm_forward` over rows of `inner` elements, with one weight and bias per element of a row; fills one mean and rstd
/// per row.
inline constinit Kernel<decltype(cpu::layer_norm), Writes<1, 2, 3>> layer_norm{"layer_norm", &cpu::layer_norm};
/// Its gradients.
inline constinit Kernel<decltype(cpu::layer_norm_backward), Writes<7, 8, 9>> layer_norm_backward{
    "layer_norm", &cpu::layer_norm_backward};
// Both for x, y and their gradients in 16 bits, as above.
inline constinit Kernel<decltype(cpu::layer_norm), Writes<1, 2, 3>> layer_norm_of_16_bits{"layer_norm",
                                                                                          &cpu::layer_norm};
inline constinit Kernel<decltype(cpu::layer_norm_backward), Writes<7, 8, 9>> layer_norm_backward_of_16_bits{
    "layer_norm", &cpu::layer_norm_backward};
} // namespace kernels

} // namespace reel
