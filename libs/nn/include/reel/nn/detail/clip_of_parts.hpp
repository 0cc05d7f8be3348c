// Who clips gradients of which this process has a part only.
#pragma once

#include <atomic>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::nn::detail {

using ClipGradNorm = double (*)(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                                bool error_if_nonfinite);
/// `utils::clip_grad_norm_` of the whole program, once somebody spreads parameters; null before.
extern std::atomic<ClipGradNorm> clip_of_parts;

} // namespace reel::nn::detail
