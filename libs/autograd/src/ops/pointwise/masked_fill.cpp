// One number in the places that a mask names.
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>

#include "tensor/number_range.hpp"

namespace reel {

/// `input` with `value` where `mask` is true. A tensor `value` is 0-dim and gets the sum of the gradients of the places
/// that it fills.
REEL_OP("masked_fill(Tensor input, Tensor mask, Tensor value) -> Tensor", composite, method, inplace,
        samples(call(numbers({4, 3}), numbers({4, 3}) > 0, numbers({}).requires_grad_())))
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Tensor& value) {
    REEL_CHECK(mask.scalar_type() == kBool, "masked_fill: mask is ", dtype_name(mask.scalar_type()), "; expected bool");
    REEL_CHECK(value.dim() == 0, "masked_fill: value has shape ", value.sizes(),
               "; expected a number or a 0-dim tensor");
    REEL_CHECK(input.is_complex() || !value.is_complex(), "masked_fill: value is ", dtype_name(value.scalar_type()),
               ", which does not convert to ", dtype_name(input.scalar_type()));
    return where(mask, value.to(input.scalar_type()), input);
}
REEL_OP("masked_fill(Tensor input, Tensor mask, Scalar value) -> Tensor", composite, method, inplace)
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Scalar& value) {
    REEL_CHECK(mask.scalar_type() == kBool, "masked_fill: mask is ", dtype_name(mask.scalar_type()), "; expected bool");
    REEL_CHECK(input.is_complex() || !value.isComplex(), "masked_fill: value ", value, " does not convert to ",
               dtype_name(input.scalar_type()));
    reel::detail::check_holds("masked_fill", input.scalar_type(), value);
    return where(mask, reel::full({}, value, TensorOptions(input.scalar_type()).device(input.device())), input);
}

} // namespace reel
