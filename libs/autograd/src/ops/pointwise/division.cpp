// Division and its remainders.
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/pointwise/rounding.hpp>
#include <reel/autograd/pointwise/division.hpp>

#include "ops/pointwise/run.hpp"
#include "tensor/host_values.hpp"

#include <algorithm>
#include <cmath>

namespace reel {

using namespace pointwise;
using reel::detail::wrapped_number;

namespace {

/// Where there is nothing to divide, any divisor will do.
void check_divisor(const char* op, ScalarType t, const Tensor& x, const Tensor& o) {
    if (!isIntegralType(t, true) || o.numel() == 0 || x.numel() == 0 || !reel::detail::has_values(o)) return;
    const reel::detail::HostValues<bool> zero(reel::detail::cast_raw(o, t) == 0, op);
    REEL_CHECK(std::find(zero.begin(), zero.end(), true) == zero.end(), op, ": an integer divisor is zero");
}
/// Floats round the quotient to their dtype before they drop its fraction.
Tensor truncated(const char* op, const Tensor& x, const Tensor& o) {
    const ScalarType t = result_type(x, o);
    if (!isIntegralType(t)) {
        const NoGradGuard guard;
        REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), op, ": there is no kernel for ", dtype_name(t),
                                   " that truncates");
        return trunc(div(x, o));
    }
    check_divisor(op, t, x, o);
    return evaluate(op, trunc_divide_op{}, x, o);
}
/// A rule of `division.hpp` on divisors that are not zero where they are integers.
template <class Rule> Tensor divided(const char* op, const Rule& rule, const Tensor& x, const Tensor& o) {
    check_divisor(op, result_type(x, o), x, o);
    return apply(op, rule, x, o);
}
Tensor div_mode(const char* op, const Tensor& x, const Tensor& o, std::optional<std::string_view> mode) {
    if (!mode) return div(x, o);
    REEL_CHECK(*mode == "floor" || *mode == "trunc", op, ": rounding_mode is '", *mode,
               "'; expected 'floor', 'trunc' or None");
    if (*mode == "floor") return divided(op, floor_divide_op{}, x, o);
    const Tensor y = truncated(op, x, o);
    autograd::record(op, {x, o}, y, {}, [](RuleContext& c) -> GradList {
        return {zeros_like(c.grad()), zeros_like(c.grad())};
    });
    return y;
}

} // namespace

/// Divides and rounds down (`floor`) or towards zero (`trunc`); integers stay integers.
REEL_OP("div(Tensor input, Tensor other, *, str? rounding_mode) -> Tensor", rule, method, out, inplace,
        samples(call(spread(-2, 2), spread(0.5, 2, 1)).with("rounding_mode", "floor")))
Tensor div(const Tensor& input, const Tensor& other, std::optional<std::string_view> rounding_mode) {
    return div_mode("div", input, other, rounding_mode);
}
REEL_OP("div(Tensor input, Scalar other, *, str? rounding_mode) -> Tensor", rule, method, out, inplace)
Tensor div(const Tensor& input, const Scalar& other, std::optional<std::string_view> rounding_mode) {
    return div_mode("div", input, wrapped_number(other), rounding_mode);
}
REEL_OP("true_divide(Tensor input, Tensor other) -> Tensor", composite, method, out, inplace)
Tensor true_divide(const Tensor& input, const Tensor& other) { return div(input, other); }
REEL_OP("true_divide(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor true_divide(const Tensor& input, const Scalar& other) { return div(input, other); }

REEL_OP("floor_divide(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
Tensor floor_divide(const Tensor& input, const Tensor& other) {
    return divided("floor_divide", floor_divide_op{}, input, other);
}
REEL_OP("floor_divide(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor floor_divide(const Tensor& input, const Scalar& other) { return floor_divide(input, wrapped_number(other)); }

/// x - o floor(x / o)
REEL_OP("remainder(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace,
        samples(call(spread(1, 5), spread(0.7, 0.9, 1))))
Tensor remainder(const Tensor& input, const Tensor& other) {
    return divided("remainder", remainder_op{}, input, other);
}
REEL_OP("remainder(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor remainder(const Tensor& input, const Scalar& other) { return remainder(input, wrapped_number(other)); }
REEL_OP("remainder(Scalar input, Tensor other) -> Tensor", composite, out)
Tensor remainder(const Scalar& input, const Tensor& other) { return remainder(wrapped_number(input), other); }

/// x - o trunc(x / o)
REEL_OP("fmod(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace,
        samples(call(spread(1, 5), spread(0.7, 0.9, 1))))
Tensor fmod(const Tensor& input, const Tensor& other) { return divided("fmod", fmod_op{}, input, other); }
REEL_OP("fmod(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor fmod(const Tensor& input, const Scalar& other) { return fmod(input, wrapped_number(other)); }

} // namespace reel
