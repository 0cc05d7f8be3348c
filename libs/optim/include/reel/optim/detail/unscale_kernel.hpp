// The seam of gradient scaling: one kernel over the memory of many gradients.
#pragma once

#include <reel/optim/detail/step_kernel.hpp>

namespace reel::optim {

/// Multiplies all elements of `gradients`, which lie where `found_inf` does, by `inv_scale`, and sets `found_inf` to 1
/// where one of them was infinite or no number. Both are one element of float32.
inline constinit Kernel<void(const Tensor& found_inf, const Tensor& inv_scale, ArrayRef<StepOperands> gradients)>
    unscale_kernel{"unscale"};

} // namespace reel::optim
