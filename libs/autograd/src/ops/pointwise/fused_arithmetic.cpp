// Products and quotients added to a tensor, and linear interpolation: what they ask of their operands.
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/fused_arithmetic.hpp>
#include <reel/autograd/pointwise/fused_arithmetic.hpp>

#include "ops/pointwise/run.hpp"

namespace reel {

using namespace pointwise;

namespace {
void check_value(const char* op, ScalarType t, const Scalar& value) {
    REEL_CHECK(isDifferentiableType(t) || value.isIntegral(true), op, ": value is ", value,
               "; for integer operands it must be an integer");
    REEL_CHECK(isComplexType(t) || !value.isComplex(), op, ": value is complex; the operands are ", dtype_name(t));
}

void check_lerp(ScalarType x, ScalarType end) {
    REEL_CHECK(x == end, "lerp: input is ", dtype_name(x), " and end is ", dtype_name(end), "; expected one dtype");
    REEL_CHECK_NOT_IMPLEMENTED(isDifferentiableType(x), "lerp: input: there is no kernel for ", dtype_name(x));
}
} // namespace

/// input + value tensor1 tensor2
REEL_OP("addcmul(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", rule, method, out,
        inplace, samples(call(numbers({4, 1}), numbers({3}), numbers({3}, 7))))
Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
    const ScalarType t = reel::detail::result_type_of(ArrayRef<const Tensor*>({&input, &tensor1, &tensor2}));
    check_value("addcmul", t, value);
    return apply("addcmul", addcmul_op(value), input, tensor1, tensor2);
}
/// input + value tensor1 / tensor2
REEL_OP("addcdiv(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", rule, method, out,
        inplace, samples(call(numbers({4, 1}), numbers({3}), numbers({3}, 7).abs() + 0.5)))
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
    const ScalarType t = reel::detail::result_type_of(ArrayRef<const Tensor*>({&input, &tensor1, &tensor2}));
    REEL_CHECK(!isIntegralType(tensor1.scalar_type(), true) || !isIntegralType(tensor2.scalar_type(), true),
               "addcdiv: tensor1 and tensor2 are integers; division of integers is done with div and a rounding_mode");
    check_value("addcdiv", t, value);
    return apply("addcdiv", addcdiv_op(value), input, tensor1, tensor2);
}

/// input + weight (end - input)
REEL_OP("lerp(Tensor input, Tensor end, Tensor weight) -> Tensor", rule, method, out, inplace,
        samples(call(numbers({4, 1}), numbers({3}), numbers({3}, 7))))
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight) {
    check_lerp(input.scalar_type(), end.scalar_type());
    return apply("lerp", lerp_op{}, input, end, weight);
}
REEL_OP("lerp(Tensor input, Tensor end, Scalar weight) -> Tensor", rule, method, out, inplace)
Tensor lerp(const Tensor& input, const Tensor& end, const Scalar& weight) {
    check_lerp(input.scalar_type(), end.scalar_type());
    const ScalarType t = result_type(input, end);
    REEL_CHECK(isComplexType(t) || !weight.isComplex(), "lerp: weight is complex; the operands are ", dtype_name(t));
    return apply("lerp", lerp_number_op(weight), input, end);
}

} // namespace reel
