// Where running values of a parameter begin.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::optim::detail {

/// Zeros of the parameter's sizes, layout, dtype and device.
Tensor zero_state(const Tensor& param);

/// `value` everywhere in the parameter's shape; in both parts of complex numbers, which step as pairs.
Tensor full_state(const Tensor& param, double value);

} // namespace reel::optim::detail
