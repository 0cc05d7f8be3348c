// One number everywhere.
#include <reel/autograd/ops/factory/full.hpp>

#include "ops/factory/fill.hpp"

namespace reel {

using namespace factory;

namespace {
ScalarType scalar_default(const Scalar& v) {
    return v.isBoolean()         ? kBool
           : v.isIntegral(false) ? kLong
           : v.isComplex()       ? toComplexType(get_default_dtype())
                                 : get_default_dtype();
}
} // namespace

/// Without a dtype the fill value decides: bool, int64, or the default dtype.
REEL_OP("full(int[] size, Scalar fill_value, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor full(IntArrayRef size, const Scalar& fill_value, TensorOptions options) {
    return filled("full", size, fill_value, options.has_dtype() ? options : options.dtype(scalar_default(fill_value)));
}
REEL_OP("new_full(Tensor input, int[] size, Scalar fill_value, *, TensorOptions options={}) -> Tensor",
        not_differentiable, method)
Tensor new_full(const Tensor& input, IntArrayRef size, const Scalar& fill_value, TensorOptions options) {
    return filled("new_full", size, fill_value, like(input, options));
}
REEL_OP("scalar_tensor(Scalar s, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor scalar_tensor(const Scalar& s, TensorOptions options) { return filled("scalar_tensor", {}, s, options); }

} // namespace reel
