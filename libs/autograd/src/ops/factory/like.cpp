// Tensors of the sizes and layout of others.
#include <reel/autograd/ops/factory/like.hpp>

#include "ops/factory/fill.hpp"

namespace reel {

using namespace factory;

REEL_OP("empty_like(Tensor input, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(numbers({3, 4}))))
Tensor empty_like(const Tensor& input, TensorOptions options) {
    const TensorOptions o = like(input, options);
    return finish(unfilled_like(input, o), o);
}
REEL_OP("ones_like(Tensor input, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor ones_like(const Tensor& input, TensorOptions options) { return filled_like(input, 1, options); }
REEL_OP("full_like(Tensor input, Scalar fill_value, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor full_like(const Tensor& input, const Scalar& fill_value, TensorOptions options) {
    return filled_like(input, fill_value, options);
}

} // namespace reel
