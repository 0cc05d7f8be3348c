// How the calls of nll_loss's kernels are kept: a mean divides by what the host finds in the targets of each run.
#pragma once

#include <reel/autograd/kernels/nll_loss.hpp>

namespace reel::jit::replay {

/// What stands in the place of the CPU's functions.
void nll_loss_weigh_stand(const NllGeometry& g, const Tensor& target, const Tensor& weight, double& total);
void nll_loss_stand(const NllGeometry& g, const Tensor& out, const Tensor& x, const Tensor& target,
                    const Tensor& weight);
void nll_loss_backward_stand(const NllGeometry& g, const Tensor& gx, const Tensor& gout, const Tensor& target,
                             const Tensor& weight);

} // namespace reel::jit::replay
