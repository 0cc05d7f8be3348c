// Parts of floating numbers: sign, neighbours, mantissa and exponent.
#include "ops/pointwise/elementwise.hpp"

#include <bit>
#include <cmath>

#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/float_parts.hpp>

namespace reel {

using namespace elementwise;

namespace {
template <class B> float next_16(float x, float toward) {
    if (x != x || toward != toward) return x + toward;
    if (x == toward) return toward;
    if (x == 0) return float(B::from_bits(toward > 0 ? 1 : 0x8001));
    const std::uint16_t bits = B(x).bits;
    return float(B::from_bits(std::uint16_t((x < toward) == (x > 0) ? bits + 1 : bits - 1)));
}
} // namespace

/// The magnitude of `input` with the sign of `other`.  gx = g y / x, zero at x = 0
REEL_OP("copysign(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
Tensor copysign(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "copysign", to_float(input, other), [](auto x, auto o) { return std::copysign(x, o); }, input, other);
    record("copysign", {input, other}, y, {input, y}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        return {c.needs(0) ? c.grad() * masked_fill(c.saved(1) / x, x == 0, 0) : Tensor(),
                c.needs(1) ? zeros_like(c.grad()) : Tensor()};
    });
    return y;
}
REEL_OP("copysign(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor copysign(const Tensor& input, const Scalar& other) { return copysign(input, number(other)); }

/// The next representable number after `input` towards `other`.
REEL_OP("nextafter(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
Tensor nextafter(const Tensor& input, const Tensor& other) {
    const ScalarType t = promoted(input, other);
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), "nextafter: input: there is no kernel for ", dtype_name(t),
                               "; expected floating operands");
    const Tensor y =
        t == kBFloat16
            ? map<Floats>(
                  "nextafter", t, [](auto x, auto o) { return decltype(x)(next_16<BFloat16>(float(x), float(o))); },
                  input, other)
        : t == kHalf ? map<Floats>(
                           "nextafter", t,
                           [](auto x, auto o) { return decltype(x)(next_16<Half>(float(x), float(o))); }, input, other)
                     : map<Floats>(
                           "nextafter", t, [](auto x, auto o) { return std::nextafter(x, o); }, input, other);
    record("nextafter", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        // The result is x itself up to rounding; at equality it is `other`.
        const Tensor same = c.saved(0) == c.saved(1);
        return {c.needs(0) ? masked_fill(c.grad(), same, 0) : Tensor(),
                c.needs(1) ? where(same, c.grad(), 0) : Tensor()};
    });
    return y;
}

/// Is the sign bit set? True for -0; false for every unsigned or bool element.
REEL_OP("signbit(Tensor input) -> Tensor", not_differentiable, method, out)
Tensor signbit(const Tensor& input) {
    return map<Reals | Bools>(
        "signbit", input.scalar_type(),
        [](auto x) {
            if constexpr (std::is_floating_point_v<decltype(x)>) return std::signbit(x);
            else if constexpr (std::is_signed_v<decltype(x)>) return x < 0;
            else return false;
        },
        input);
}

/// input = mantissa 2^exponent with mantissa in (-1, -1/2] or [1/2, 1); the exponent is int32.
REEL_OP("frexp(Tensor input) -> (Tensor mantissa, Tensor exponent)", rule, method, out)
std::tuple<Tensor, Tensor> frexp(const Tensor& input) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), "frexp: input: there is no kernel for ", dtype_name(t),
                               "; expected a floating tensor");
    const Tensor mantissa = map<Floats>(
        "frexp", t,
        [](auto x) {
            int e;
            return std::frexp(x, &e);
        },
        input);
    const Tensor exponent = map<Floats>(
        "frexp", t,
        [](auto x) -> std::int32_t {
            int e = 0;
            std::frexp(x, &e);
            return std::isfinite(x) ? e : 0;
        },
        input);
    record("frexp", {input}, mantissa, {exponent},
           [](RuleContext& c) -> GradList { return {c.grad() / exp2(c.saved(0).to(c.grad().scalar_type()))}; });
    return {mantissa, exponent};
}

/// 0 for negative, 1 for positive elements, `values` at zero: those have the gradient there.
REEL_OP("heaviside(Tensor input, Tensor values) -> Tensor", rule, method, out, inplace)
Tensor heaviside(const Tensor& input, const Tensor& values) {
    REEL_CHECK(!input.is_complex() && !values.is_complex(), "heaviside: complex tensors have no order");
    REEL_CHECK(input.scalar_type() == values.scalar_type(), "heaviside: input is ", dtype_name(input.scalar_type()),
               " and values is ", dtype_name(values.scalar_type()), "; expected one dtype");
    const Tensor y = map<Reals | Bools>(
        "heaviside", input.scalar_type(), [](auto x, auto v) { return x == 0 ? v : decltype(x)(x > 0); }, input,
        values);
    record("heaviside", {input, values}, y, {input}, [](RuleContext& c) -> GradList {
        return {c.needs(0) ? zeros_like(c.grad()) : Tensor(),
                c.needs(1) ? where(c.saved(0) == 0, c.grad(), 0) : Tensor()};
    });
    return y;
}

} // namespace reel
