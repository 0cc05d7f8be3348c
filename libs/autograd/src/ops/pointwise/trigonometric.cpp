// Circular and hyperbolic functions: ops over the scalar rules.
#include <reel/autograd/ops/pointwise/trigonometric.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/pointwise/trigonometric.hpp>

#include "ops/pointwise/rule_host.hpp"

namespace reel {

using namespace pointwise;

REEL_OP("sin(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor sin(const Tensor& input) { return unary_op("sin", sin_op{}, input); }

REEL_OP("cos(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor cos(const Tensor& input) { return unary_op("cos", cos_op{}, input); }

REEL_OP("tan(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor tan(const Tensor& input) { return unary_op("tan", tan_op{}, input); }

REEL_OP("asin(Tensor input) -> Tensor", rule, method, out, inplace, alias("arcsin"))
Tensor asin(const Tensor& input) { return unary_op("asin", asin_op{}, input); }

REEL_OP("acos(Tensor input) -> Tensor", rule, method, out, inplace, alias("arccos"))
Tensor acos(const Tensor& input) { return unary_op("acos", acos_op{}, input); }

REEL_OP("atan(Tensor input) -> Tensor", rule, method, out, inplace, alias("arctan"))
Tensor atan(const Tensor& input) { return unary_op("atan", atan_op{}, input); }

REEL_OP("sinh(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor sinh(const Tensor& input) { return unary_op("sinh", sinh_op{}, input); }

REEL_OP("cosh(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor cosh(const Tensor& input) { return unary_op("cosh", cosh_op{}, input); }

REEL_OP("asinh(Tensor input) -> Tensor", rule, method, out, inplace, alias("arcsinh"))
Tensor asinh(const Tensor& input) { return unary_op("asinh", asinh_op{}, input); }

REEL_OP("acosh(Tensor input) -> Tensor", rule, method, out, inplace, alias("arccosh"))
Tensor acosh(const Tensor& input) { return unary_op("acosh", acosh_op{}, input); }

REEL_OP("atanh(Tensor input) -> Tensor", rule, method, out, inplace, alias("arctanh"))
Tensor atanh(const Tensor& input) { return unary_op("atanh", atanh_op{}, input); }

REEL_OP("tanh(Tensor input) -> Tensor", rule, method, out, inplace, alias("nn.functional.tanh"))
Tensor tanh(const Tensor& input) { return unary_op("tanh", tanh_op{}, input); }

/// Degrees as radians.
REEL_OP("deg2rad(Tensor input) -> Tensor", composite, method, out, inplace, samples(call(numbers({4, 3}))))
Tensor deg2rad(const Tensor& input) {
    REEL_CHECK(!input.is_complex(), "deg2rad: input is complex; expected real angles");
    return input * 0.017453292519943295769;
}
/// Radians as degrees.
REEL_OP("rad2deg(Tensor input) -> Tensor", composite, method, out, inplace)
Tensor rad2deg(const Tensor& input) {
    REEL_CHECK(!input.is_complex(), "rad2deg: input is complex; expected real angles");
    return input * 57.295779513082320877;
}

} // namespace reel
