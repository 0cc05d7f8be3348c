// Magnitudes and signs; complex numbers and their parts.
#include "ops/pointwise/elementwise.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/ops/shape/view.hpp>

namespace reel {

using namespace elementwise;

namespace {
struct Sign {
    template <class T> T operator()(T x) const {
        if constexpr (is_complex_v<T>) {
            const auto r = std::abs(x);
            return r == 0 ? T(0) : x / r;
        } else if constexpr (std::is_same_v<T, bool>) return x;
        else return T(int(x > 0) - int(x < 0));
    }
};
/// |x| as a divisor: infinite at zero, where the quotient and its derivatives are to be zero.
Tensor magnitude(const Tensor& x) {
    const Tensor r = abs(x);
    return masked_fill(r, r == 0, std::numeric_limits<double>::infinity());
}
} // namespace

/// Magnitude, real for complex input.  gx = g sgn(x)
REEL_OP("abs(Tensor input) -> Tensor", rule, method, out_exact, inplace, alias("absolute"))
Tensor abs(const Tensor& input) {
    if (input.scalar_type() == kBool) return input.clone();
    const Tensor y = map<Numbers>(
        "abs", input.scalar_type(),
        [](auto x) {
            using T = decltype(x);
            if constexpr (std::is_unsigned_v<T>) return x;
            else if constexpr (std::is_integral_v<T>) return math::abs(x);
            else return std::abs(x);
        },
        input);
    record("abs", {input}, y, {input}, [](RuleContext& c) -> GradList { return {c.grad() * sgn(c.saved(0))}; });
    return y;
}

/// -1, 0 or 1; 0 for NaN.
REEL_OP("sign(Tensor input) -> Tensor", rule, method, out_exact, inplace)
Tensor sign(const Tensor& input) {
    REEL_CHECK(!input.is_complex(), "sign: input is complex; use sgn");
    const Tensor y = map<Reals | Bools>("sign", input.scalar_type(), Sign(), input);
    record("sign", {input}, y, {}, [](RuleContext& c) -> GradList { return {zeros_like(c.grad())}; });
    return y;
}
/// x / |x|, zero at zero; `sign` for real input.
REEL_OP("sgn(Tensor input) -> Tensor", rule, method, out_exact, inplace)
Tensor sgn(const Tensor& input) {
    const Tensor y = map<Numbers | Bools>("sgn", input.scalar_type(), Sign(), input);
    record("sgn", {input}, y, {input}, [](RuleContext& c) -> GradList {
        const Tensor& g = c.grad();
        const Tensor x = c.saved(0);
        if (!x.is_complex()) return {zeros_like(g)};
        // Only the part of g across the direction of x counts, and nothing at zero.
        const Tensor s = sgn(x), across = g / magnitude(x);
        return {across - real(across * conj(s)) * s};
    });
    return y;
}

/// Phase in [-pi, pi]; for real input pi below zero and 0 elsewhere.
REEL_OP("angle(Tensor input) -> Tensor", rule, method, out)
Tensor angle(const Tensor& input) {
    const Tensor y = map<Floats | Complexes>(
        "angle", to_float(input),
        [](auto x) {
            using T = decltype(x);
            if constexpr (is_complex_v<T>) return std::atan2(x.imag(), x.real());
            else return x != x ? x : x < 0 ? T(3.14159265358979323846) : T(0);
        },
        input);
    record("angle", {input}, y, {input}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0), &g = c.grad();
        if (!x.is_complex()) return {zeros_like(g)};
        const Tensor r = magnitude(x);
        return {g * (x / r / r) * Scalar(std::complex<double>(0, 1))};
    });
    return y;
}

/// The real part: a view of complex input, real input itself.
REEL_OP("real(Tensor input) -> Tensor", composite, view)
Tensor real(const Tensor& input) { return input.is_complex() ? select(view_as_real(input), -1, 0) : input; }
/// The imaginary part, a view; complex input only.
REEL_OP("imag(Tensor input) -> Tensor", composite, view)
Tensor imag(const Tensor& input) {
    REEL_CHECK(input.is_complex(), "imag: input is ", dtype_name(input.scalar_type()),
               "; only complex tensors have an imaginary part");
    return select(view_as_real(input), -1, 1);
}

namespace {
Tensor conjugated(const char* name, const Tensor& input) {
    if (!input.is_complex()) return input;
    const Tensor y = map<Complexes>(
        name, input.scalar_type(), [](auto x) { return std::conj(x); }, input);
    record(name, {input}, y, {}, [](RuleContext& c) -> GradList { return {conj(c.grad())}; });
    return y;
}
} // namespace
/// Conjugation, never lazy; real tensors are returned as they are.
REEL_OP("conj(Tensor input) -> Tensor", rule, method)
Tensor conj(const Tensor& input) { return conjugated("conj", input); }
REEL_OP("conj_physical(Tensor input) -> Tensor", rule, method, out_exact, inplace)
Tensor conj_physical(const Tensor& input) { return conjugated("conj_physical", input); }
/// There are no lazily conjugated or negated tensors: returns `input`.
REEL_OP("resolve_conj(Tensor input) -> Tensor", composite, method)
Tensor resolve_conj(const Tensor& input) { return input; }
REEL_OP("resolve_neg(Tensor input) -> Tensor", composite, method)
Tensor resolve_neg(const Tensor& input) { return input; }
REEL_OP("positive(Tensor input) -> Tensor", composite, method)
Tensor positive(const Tensor& input) {
    REEL_CHECK(input.scalar_type() != kBool, "positive: not defined for bool tensors");
    return input;
}

/// real + i imag
REEL_OP("complex(Tensor real, Tensor imag) -> Tensor", rule, out_exact)
Tensor complex(const Tensor& real, const Tensor& imag) {
    const ScalarType t = real.scalar_type();
    REEL_CHECK(t == imag.scalar_type(), "complex: real is ", dtype_name(t), " and imag is ",
               dtype_name(imag.scalar_type()), "; expected one dtype");
    REEL_CHECK(t == kFloat || t == kDouble, "complex: the parts are ", dtype_name(t), "; expected float32 or float64");
    const Tensor y = map<Floats>(
        "complex", t, [](auto x, auto o) { return std::complex<decltype(x)>(x, o); }, real, imag);
    record("complex", {real, imag}, y, {}, [](RuleContext& c) -> GradList {
        const Tensor g = c.grad().is_complex() ? c.grad() : c.grad().to(toComplexType(c.grad().scalar_type()));
        return {c.needs(0) ? reel::real(g) : Tensor(), c.needs(1) ? reel::imag(g) : Tensor()};
    });
    return y;
}
/// abs e^(i angle)
REEL_OP("polar(Tensor abs, Tensor angle) -> Tensor", rule, out_exact)
Tensor polar(const Tensor& abs, const Tensor& angle) {
    const ScalarType t = abs.scalar_type();
    REEL_CHECK(t == angle.scalar_type(), "polar: abs is ", dtype_name(t), " and angle is ",
               dtype_name(angle.scalar_type()), "; expected one dtype");
    REEL_CHECK(t == kFloat || t == kDouble, "polar: abs and angle are ", dtype_name(t),
               "; expected float32 or float64");
    const Tensor y = map<Floats>(
        "polar", t, [](auto r, auto phi) { return std::complex<decltype(r)>(r * std::cos(phi), r * std::sin(phi)); },
        abs, angle);
    record("polar", {abs, angle}, y, {angle, y}, [](RuleContext& c) -> GradList {
        const Tensor phi = c.saved(0), back = conj(c.grad());
        return {c.needs(0) ? reel::real(back * polar(ones_like(phi), phi)) : Tensor(),
                c.needs(1) ? reel::real(back * (c.saved(1) * Scalar(std::complex<double>(0, 1)))) : Tensor()};
    });
    return y;
}

} // namespace reel
