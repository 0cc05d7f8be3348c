// Memory of parameters before they are drawn.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::nn::detail {

/// A parameter's tensor, which `reset_parameters()` will write; none unless `wanted`: what is registered as absent.
Tensor parameter_memory(IntArrayRef sizes, bool wanted = true);

} // namespace reel::nn::detail
