// Shapes that meet: what two broadcast to, and tensors seen in it.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// Sizes that two shapes broadcast to; throws Error naming `op` and both shapes.
Dims broadcast_shapes(const char* op, IntArrayRef a, IntArrayRef b);
/// The alias of `t` with `sizes`, broadcast dims having stride 0. `sizes` must be compatible.
Tensor expand_raw(const Tensor& t, IntArrayRef sizes);

} // namespace reel::detail
