// Zeros of given sizes.
#include <reel/autograd/ops/factory/zeros.hpp>

#include "ops/factory/fill.hpp"

namespace reel {

using namespace factory;

REEL_OP("zeros(int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor zeros(IntArrayRef size, TensorOptions options) { return filled("zeros", size, 0, options); }
REEL_OP("new_zeros(Tensor input, int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, method)
Tensor new_zeros(const Tensor& input, IntArrayRef size, TensorOptions options) {
    return filled("new_zeros", size, 0, like(input, options));
}

} // namespace reel
