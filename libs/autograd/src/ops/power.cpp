// Powers.
#include <reel/autograd/pointwise/power.hpp>

#include "ops/elementwise.hpp"

#include <cmath>

namespace reel {

using namespace elementwise;

namespace {

struct IntegerPow {
    template <class T> T operator()(T x, T o) const {
        if (o < 0) return x == 1 ? T(1) : x == T(-1) ? (o % 2 == 0 ? T(1) : T(-1)) : T(0);
        using U = std::make_unsigned_t<T>; // overflow wraps
        U r = 1, base = U(x);
        for (U e = U(o); e; e = U(e >> 1)) {
            if (e & 1) r = U(r * base);
            base = U(base * base);
        }
        return T(r);
    }
};
Tensor zero_exponent(const Tensor& exponent) { return exponent == 0; }

/// g conj(o x^(o-1)), zero where o is.
Tensor base_grad(const Tensor& g, const Tensor& x, const Tensor& o) {
    return where(zero_exponent(o), 0, g * conj(o * pow(x, o - 1)));
}
/// g conj(y log x), zero where the power of zero is constant.
Tensor exponent_grad(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor& y) {
    const Tensor non_negative = o.is_complex() ? logical_and(imag(o) == 0, real(o) >= 0) : o >= 0;
    return g * where(logical_and(x == 0, non_negative), 0, conj(y * log(x)));
}

} // namespace

REEL_OP("pow(Tensor input, Tensor exponent) -> Tensor", method, out, inplace)
Tensor pow(const Tensor& input, const Tensor& exponent) {
    const ScalarType t = promoted(input, exponent);
    REEL_CHECK_NOT_IMPLEMENTED(t != kBool, "pow: input: there is no kernel for bool; convert an operand first");
    if (isIntegralType(t)) return map<Ints>("pow", t, IntegerPow(), input, exponent);
    return pointwise::binary_op("pow", pointwise::pow_op{}, input, exponent);
}
REEL_OP("pow(Tensor input, Scalar exponent) -> Tensor", method, out, inplace)
Tensor pow(const Tensor& input, const Scalar& exponent) {
    const ScalarType t = pointwise::detail::result_type(input, exponent);
    REEL_CHECK_NOT_IMPLEMENTED(t != kBool, "pow: input: there is no kernel for bool; convert an operand first");
    if (isIntegralType(t)) {
        REEL_CHECK(exponent.toLong() >= 0, "pow: exponent is ", exponent,
                   "; integers have no negative powers, convert input to a floating dtype first");
        return map<Ints>("pow", t, IntegerPow(), input, number(exponent));
    }
    if (exponent.equal(2)) return t == input.scalar_type() ? square(input) : square(input.to(t));
    return pointwise::binary_number("pow", pointwise::pow_op{}, input, exponent);
}
REEL_OP("pow(Scalar input, Tensor exponent) -> Tensor", out)
Tensor pow(const Scalar& input, const Tensor& exponent) {
    const ScalarType t = pointwise::detail::result_type(exponent, input);
    REEL_CHECK_NOT_IMPLEMENTED(t != kBool, "pow: exponent: there is no kernel for bool; convert an operand first");
    if (isIntegralType(t)) return map<Ints>("pow", t, IntegerPow(), number(input), exponent);
    return pointwise::binary_number("pow", pointwise::pow_op{}, exponent, input, true);
}

/// The power in double precision, whatever the operands are.
REEL_OP("float_power(Tensor input, Tensor exponent) -> Tensor", method, out, inplace)
Tensor float_power(const Tensor& input, const Tensor& exponent) {
    const ScalarType t = isComplexType(promoted(input, exponent)) ? kComplexDouble : kDouble;
    return pow(input.to(t), exponent.to(t));
}
REEL_OP("float_power(Tensor input, Scalar exponent) -> Tensor", method, out, inplace)
Tensor float_power(const Tensor& input, const Scalar& exponent) {
    const ScalarType t = input.is_complex() || exponent.isComplex() ? kComplexDouble : kDouble;
    return pow(input.to(t), exponent.isComplex() ? exponent : Scalar(exponent.toDouble()));
}
REEL_OP("float_power(Scalar input, Tensor exponent) -> Tensor", out)
Tensor float_power(const Scalar& input, const Tensor& exponent) {
    const ScalarType t = input.isComplex() || exponent.is_complex() ? kComplexDouble : kDouble;
    return pow(input.isComplex() ? input : Scalar(input.toDouble()), exponent.to(t));
}

/// input 2^other
REEL_OP("ldexp(Tensor input, Tensor other) -> Tensor", method, out, inplace)
Tensor ldexp(const Tensor& input, const Tensor& other) { return mul(input, pow(Scalar(2.0), other)); }

/// sqrt(x^2 + o^2), without overflow.  gx = g x / y
REEL_OP("hypot(Tensor input, Tensor other) -> Tensor", method, out, inplace)
Tensor hypot(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "hypot", promoted(input, other), [](auto x, auto o) { return std::hypot(x, o); }, input, other);
    record("hypot", {input, other}, y, {input, other, y}, [](RuleContext& c) -> GradList {
        const Tensor &g = c.grad(), y = c.saved(2);
        return {c.needs(0) ? g * (c.saved(0) / y) : Tensor(), c.needs(1) ? g * (c.saved(1) / y) : Tensor()};
    });
    return y;
}

namespace pointwise {
Tensor pow_op::da(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor&) const { return base_grad(g, x, o); }
Tensor pow_op::db(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor&) const {
    return exponent_grad(g, x, o, reel::pow(x, o));
}
} // namespace pointwise

} // namespace reel
