// Where running values of a parameter begin.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::optim::detail {

/// Zeros of the parameter's sizes, layout, dtype and device.
Tensor zero_state(const Tensor& param);

} // namespace reel::optim::detail
