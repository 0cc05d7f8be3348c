// Zeros of the sizes and layout of another tensor.
#include <reel/autograd/ops/factory/zeros_like.hpp>

#include "ops/factory/fill.hpp"

namespace reel {

using namespace factory;

REEL_OP("zeros_like(Tensor input, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor zeros_like(const Tensor& input, TensorOptions options) { return filled_like(input, 0, options); }

} // namespace reel
