// Powers.
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/pointwise/arithmetic.hpp>
#include <reel/autograd/pointwise/power.hpp>

#include "ops/pointwise/run.hpp"
#include "tensor/number_range.hpp"

#include <cmath>
#include <complex>

namespace reel {

namespace {

bool is_number(const Tensor& t) { return t.impl()->is_wrapped_number; }
Scalar less_one(const Scalar& s) {
    return s.isComplex() ? Scalar(s.toComplexDouble() - 1.0) : Scalar(s.toDouble() - 1);
}

/// g conj(o x^(o-1)). Operands where the formula says 0 times infinity are replaced before it, not the result after it,
/// so that derivatives of it are finite, too.
Tensor base_grad(const Tensor& g, const Tensor& x, const Tensor& o) {
    if (is_number(o)) {
        const Scalar n = o.item();
        if (n.equal(0)) return zeros_like(g);
        if (n.equal(1)) return g;
        return g * conj(pow(x, less_one(n)) * n);
    }
    return g * conj(o * pow(x, where(logical_and(x == 0, o == 0), 1, o - 1)));
}
/// g conj(y log x), zero where the power of zero is constant.
Tensor exponent_grad(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor& y) {
    if (is_number(x) && !x.item().equal(0)) {
        const Scalar b = x.item();
        return g * conj(y * (y.is_complex() ? Scalar(std::log(b.toComplexDouble())) : Scalar(std::log(b.toDouble()))));
    }
    const Tensor non_negative = o.is_complex() ? logical_or(real(o) > 0, o == 0) : o >= 0;
    Tensor base = where(logical_and(x == 0, non_negative), 1, x);
    if (y.is_complex() && !base.is_complex()) base = base.to(y.scalar_type()); // negative bases have logarithms there
    return g * conj(y * log(base));
}

} // namespace

REEL_OP("pow(Tensor input, Tensor exponent) -> Tensor", rule, method, out, inplace,
        samples(call(spread(0.3, 2), spread(-2, 2, 1))))
Tensor pow(const Tensor& input, const Tensor& exponent) {
    const ScalarType t = result_type(input, exponent);
    REEL_CHECK_NOT_IMPLEMENTED(t != kBool, "pow: input: there is no kernel for bool; convert an operand first");
    return pointwise::apply("pow", pointwise::pow_op{}, input, exponent);
}
REEL_OP("pow(Tensor input, Scalar exponent) -> Tensor", rule, method, out, inplace)
Tensor pow(const Tensor& input, const Scalar& exponent) {
    const ScalarType t = result_type(input, exponent);
    REEL_CHECK_NOT_IMPLEMENTED(t != kBool, "pow: input: there is no kernel for bool; convert an operand first");
    REEL_CHECK(!isIntegralType(t) || exponent.toLong() >= 0, "pow: exponent is ", exponent,
               "; integers have no negative powers, convert input to a floating dtype first");
    if (isIntegralType(t)) reel::detail::check_holds("pow", t, exponent);
    if (!isIntegralType(t) && exponent.equal(2)) return t == input.scalar_type() ? square(input) : square(input.to(t));
    if (isFloatingType(t) && t == input.scalar_type() && pointwise::few_factors_op::takes(exponent))
        return pointwise::apply("pow", pointwise::few_factors_op(int(exponent.toDouble())), input);
    return pointwise::apply_number("pow", pointwise::pow_op{}, input, exponent);
}
REEL_OP("pow(Scalar input, Tensor exponent) -> Tensor", rule, out)
Tensor pow(const Scalar& input, const Tensor& exponent) {
    const ScalarType t = result_type(exponent, input);
    REEL_CHECK_NOT_IMPLEMENTED(t != kBool, "pow: exponent: there is no kernel for bool; convert an operand first");
    return pointwise::apply_number("pow", pointwise::pow_op{}, exponent, input, true);
}

/// The power in double precision, whatever the operands are.
REEL_OP("float_power(Tensor input, Tensor exponent) -> Tensor", composite, method, out, inplace,
        samples(call(spread(0.3, 2), spread(-2, 2, 1))))
Tensor float_power(const Tensor& input, const Tensor& exponent) {
    const ScalarType t = isComplexType(result_type(input, exponent)) ? kComplexDouble : kDouble;
    return pow(input.to(t), exponent.to(t));
}
REEL_OP("float_power(Tensor input, Scalar exponent) -> Tensor", composite, method, out, inplace)
Tensor float_power(const Tensor& input, const Scalar& exponent) {
    const ScalarType t = input.is_complex() || exponent.isComplex() ? kComplexDouble : kDouble;
    return pow(input.to(t), exponent.isComplex() ? exponent : Scalar(exponent.toDouble()));
}
REEL_OP("float_power(Scalar input, Tensor exponent) -> Tensor", composite, out)
Tensor float_power(const Scalar& input, const Tensor& exponent) {
    const ScalarType t = input.isComplex() || exponent.is_complex() ? kComplexDouble : kDouble;
    return pow(input.isComplex() ? input : Scalar(input.toDouble()), exponent.to(t));
}

namespace {
/// The factor 2^whole in pieces that no float64 loses: their product reaches from the least number to the largest.
Tensor times_power_of_two(Tensor x, Tensor whole, int pieces) {
    for (; pieces > 0; --pieces) {
        const Tensor part = clamp(whole, -700, 700);
        x = mul(x, pow(Scalar(2.0), part.to(kDouble)));
        whole = whole - part;
    }
    return x;
}
} // namespace

/// input 2^other. A whole exponent leaves the result in the dtype of a floating or complex input, though 2^other may
/// not fit there.
REEL_OP("ldexp(Tensor input, Tensor other) -> Tensor", composite, method, out, inplace,
        samples(call(spread(-2, 2), spread(-1, 2, 1))))
Tensor ldexp(const Tensor& input, const Tensor& other) {
    if (!isIntegralType(other.scalar_type(), true)) {
        const ScalarType t = result_type(input, other);
        return mul(input, pow(Scalar(2.0), other.is_complex() ? other.to(t) : other.to(toRealValueType(t))));
    }
    const ScalarType s = input.scalar_type(), t = isIntegralType(s, true) ? get_default_dtype() : s;
    const ScalarType wide = isComplexType(t) ? kComplexDouble : kDouble;
    const Tensor whole = clamp(other.to(kLong), -2100, 2100);
    return times_power_of_two(input.to(wide), whole, t == wide ? 3 : 1).to(t);
}

namespace pointwise {
Tensor pow_op::da(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor&) const { return base_grad(g, x, o); }
Tensor pow_op::db(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor&) const {
    return exponent_grad(g, x, o, reel::pow(x, o));
}
} // namespace pointwise

REEL_OP("square(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor square(const Tensor& input) {
    return pointwise::apply("square", pointwise::square_op{}, input.scalar_type() == kBool ? input.to(kLong) : input);
}

} // namespace reel
