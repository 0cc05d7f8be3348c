// Products and quotients added to a tensor, and linear interpolation, each in one pass.
#include "ops/pointwise/elementwise.hpp"

#include <cmath>

#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/fused_arithmetic.hpp>

namespace reel {

using namespace elementwise;

namespace {
/// `value` in the arithmetic of T.
template <class T> T as(const Scalar& value) { return value.to<T>(); }

void check_value(const char* op, ScalarType t, const Scalar& value) {
    REEL_CHECK(isDifferentiableType(t) || value.isIntegral(true), op, ": value is ", value,
               "; for integer operands it must be an integer");
    REEL_CHECK(isComplexType(t) || !value.isComplex(), op, ": value is complex; the operands are ", dtype_name(t));
}

struct Lerp {
    template <class T> T operator()(T x, T end, T weight) const {
        // From the nearer end, so that weight 1 gives `end` exactly.
        return std::abs(weight) < 0.5 ? x + weight * (end - x) : end - (end - x) * (T(1) - weight);
    }
};
void check_lerp(ScalarType x, ScalarType end) {
    REEL_CHECK(x == end, "lerp: input is ", dtype_name(x), " and end is ", dtype_name(end), "; expected one dtype");
    REEL_CHECK_NOT_IMPLEMENTED(isDifferentiableType(x), "lerp: input: there is no kernel for ", dtype_name(x));
}
} // namespace

/// input + value tensor1 tensor2
REEL_OP("addcmul(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", rule, method, out,
        inplace)
Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
    const ScalarType t = promoted(input, tensor1, tensor2);
    check_value("addcmul", t, value);
    const Tensor y = map<Numbers>(
        "addcmul", t,
        [&value](auto x, auto p, auto q) {
            using T = decltype(x);
            if constexpr (std::is_integral_v<T>)
                return T(math::wrapping(x) + math::wrapping(as<T>(value)) * math::wrapping(p) * math::wrapping(q));
            else return T(x + as<T>(value) * p * q);
        },
        input, tensor1, tensor2);
    record("addcmul", {input, tensor1, tensor2}, y, {tensor1, tensor2},
           [value, cx = input.is_complex()](RuleContext& c) -> GradList {
               const Tensor &g = c.grad(), p = c.saved(0), q = c.saved(1);
               return {c.needs(0) ? fit_gradient(g, cx) : Tensor(),
                       c.needs(1) ? fit_gradient(g * conj(q * value), p.is_complex()) : Tensor(),
                       c.needs(2) ? fit_gradient(g * conj(p * value), q.is_complex()) : Tensor()};
           });
    return y;
}
/// input + value tensor1 / tensor2
REEL_OP("addcdiv(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", rule, method, out,
        inplace)
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
    const ScalarType t = promoted(input, tensor1, tensor2);
    REEL_CHECK(!isIntegralType(tensor1.scalar_type(), true) || !isIntegralType(tensor2.scalar_type(), true),
               "addcdiv: tensor1 and tensor2 are integers; division of integers is done with div and a rounding_mode");
    check_value("addcdiv", t, value);
    const Tensor y = map<Floats | Complexes>(
        "addcdiv", t,
        [&value](auto x, auto p, auto q) {
            using T = decltype(x);
            return T(x + as<T>(value) * p / q);
        },
        input, tensor1, tensor2);
    record("addcdiv", {input, tensor1, tensor2}, y, {tensor1, tensor2},
           [value, cx = input.is_complex()](RuleContext& c) -> GradList {
               const Tensor &g = c.grad(), p = c.saved(0), q = c.saved(1);
               return {c.needs(0) ? fit_gradient(g, cx) : Tensor(),
                       c.needs(1) ? fit_gradient(g * conj(value / q), p.is_complex()) : Tensor(),
                       c.needs(2) ? fit_gradient(-g * conj(p * value / (q * q)), q.is_complex()) : Tensor()};
           });
    return y;
}

/// input + weight (end - input)
REEL_OP("lerp(Tensor input, Tensor end, Tensor weight) -> Tensor", rule, method, out, inplace)
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight) {
    check_lerp(input.scalar_type(), end.scalar_type());
    const Tensor y = map<Floats | Complexes>("lerp", promoted(input, end, weight), Lerp(), input, end, weight);
    record("lerp", {input, end, weight}, y, {input, end, weight}, [](RuleContext& c) -> GradList {
        const Tensor &g = c.grad(), x = c.saved(0), e = c.saved(1), w = c.saved(2);
        return {c.needs(0) ? fit_gradient(g * conj(1 - w), x.is_complex()) : Tensor(),
                c.needs(1) ? fit_gradient(g * conj(w), e.is_complex()) : Tensor(),
                c.needs(2) ? fit_gradient(g * conj(e - x), w.is_complex()) : Tensor()};
    });
    return y;
}
REEL_OP("lerp(Tensor input, Tensor end, Scalar weight) -> Tensor", rule, method, out, inplace)
Tensor lerp(const Tensor& input, const Tensor& end, const Scalar& weight) {
    check_lerp(input.scalar_type(), end.scalar_type());
    const ScalarType t = promoted(input, end);
    REEL_CHECK(isComplexType(t) || !weight.isComplex(), "lerp: weight is complex; the operands are ", dtype_name(t));
    const Tensor y = map<Floats | Complexes>(
        "lerp", t, [&weight](auto x, auto e) { return Lerp()(x, e, as<decltype(x)>(weight)); }, input, end);
    record("lerp", {input, end}, y, {}, [weight](RuleContext& c) -> GradList {
        const std::complex<double> w = weight.toComplexDouble();
        const auto times = [&](std::complex<double> f) {
            return weight.isComplex() ? c.grad() * Scalar(std::conj(f)) : c.grad() * f.real();
        };
        return {c.needs(0) ? times(1.0 - w) : Tensor(), c.needs(1) ? times(w) : Tensor()};
    });
    return y;
}

} // namespace reel
