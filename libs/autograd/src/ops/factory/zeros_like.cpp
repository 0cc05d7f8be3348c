// Zeros of the sizes and layout of another tensor.
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/sparse.hpp>

#include "ops/factory/fill.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace factory;
using namespace detail;

REEL_OP("zeros_like(Tensor input, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor zeros_like(const Tensor& input, TensorOptions options) {
    if (!input.is_sparse() || options.has_layout()) return filled_like(input, 0, options);
    const Tensor indices = empty_raw({input.sparse_dim(), 0}, kLong, input.device());
    return sparse_coo_tensor(indices, narrow_raw(input._values(), 0, 0, 0), input.sizes(), options, true);
}

} // namespace reel
