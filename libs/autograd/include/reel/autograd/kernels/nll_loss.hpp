// Kernels of the negative log-likelihood.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

/// x [batch, classes, length] and targets t [batch, length]: what stands at [n, t[n, l], l] counts, by its class's
/// weight, unless t[n, l] is `ignore_index`.
struct NllGeometry {
    std::int64_t batch, classes, length, ignore_index;
    bool summed;       ///< one result, the sum of all, times `scale`; else one for each target
    double scale = 1;  ///< of sums
    bool mean = false; ///< `scale` is one over what `nll_loss_weigh` found
};

// All tensors are dense. `target` is int64, `weight` float64 or undefined: ones.
namespace cpu {
void nll_loss_weigh(const NllGeometry& g, const Tensor& target, const Tensor& weight, double& total);
void nll_loss(const NllGeometry& g, const Tensor& out, const Tensor& x, const Tensor& target, const Tensor& weight);
void nll_loss_backward(const NllGeometry& g, const Tensor& gx, const Tensor& gout, const Tensor& target,
                       const Tensor& weight);
} // namespace cpu

namespace kernels {
/// The sum of the weights of all targets that count. Throws IndexError for a target that is no class; a device may stop
/// on one later.
inline constinit Kernel<decltype(cpu::nll_loss_weigh), Answers> nll_loss_weigh{"nll_loss", &cpu::nll_loss_weigh};
/// out = -weight x at the targets; zero where they do not count. Floating dtypes, sums in float64.
inline constinit Kernel<decltype(cpu::nll_loss), Writes<1>> nll_loss{"nll_loss", &cpu::nll_loss};
/// The adjoint: fills all of `gx`, the gradient of x, from that of the result.
inline constinit Kernel<decltype(cpu::nll_loss_backward), Writes<1>> nll_loss_backward{"nll_loss",
                                                                                       &cpu::nll_loss_backward};
} // namespace kernels

} // namespace reel
