// Conversion with everything decided, for the ops that say less.
#pragma once

#include <optional>

#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// `to` with everything decided: returns `t` itself when nothing changes and no copy is asked for. Differentiable.
Tensor convert(const Tensor& t, ScalarType dtype, Device device, bool copy, std::optional<MemoryFormat> format,
               bool non_blocking = false);

} // namespace reel::detail
