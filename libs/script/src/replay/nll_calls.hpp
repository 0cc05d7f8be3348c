// How the calls of nll_loss's kernels are kept: a mean divides by what the host finds in the targets of each run.
#pragma once

#include <reel/autograd/kernels/nll_loss.hpp>

#include "replay/kernel_calls.hpp"

namespace reel::jit::replay {

void nll_loss_weigh_stand(const NllGeometry& g, const Tensor& target, const Tensor& weight, double& total);
void nll_loss_stand(const NllGeometry& g, const Tensor& out, const Tensor& x, const Tensor& target,
                    const Tensor& weight);
void nll_loss_backward_stand(const NllGeometry& g, const Tensor& gx, const Tensor& gout, const Tensor& target,
                             const Tensor& weight);
template <> inline constexpr auto own_stand<kernels::nll_loss_weigh> = &nll_loss_weigh_stand;
template <> inline constexpr auto own_stand<kernels::nll_loss> = &nll_loss_stand;
template <> inline constexpr auto own_stand<kernels::nll_loss_backward> = &nll_loss_backward_stand;

} // namespace reel::jit::replay
