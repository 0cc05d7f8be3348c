// Comparisons, predicates and selection by a condition.
#include <reel/autograd/kernels/where.hpp>
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>

#include <cmath>

#include "ops/pointwise/rule_host.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

template <class T> constexpr bool complex_v = math::is_complex<T>::value;
template <class T> using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

template <class F, class T> void compare_loop(char* const* d, const std::int64_t* s, std::int64_t n, const void*) {
    for (std::int64_t i = 0; i < n; ++i)
        *reinterpret_cast<bool*>(d[0] + i * s[0]) = F()(Wide<T>(*reinterpret_cast<const T*>(d[1] + i * s[1])),
                                                        Wide<T>(*reinterpret_cast<const T*>(d[2] + i * s[2])));
}
template <class F, class T> void predicate_loop(char* const* d, const std::int64_t* s, std::int64_t n, const void*) {
    for (std::int64_t i = 0; i < n; ++i)
        *reinterpret_cast<bool*>(d[0] + i * s[0]) = F()(Wide<T>(*reinterpret_cast<const T*>(d[1] + i * s[1])));
}
template <class F> Tensor compare(const char* name, const Tensor& x, const Tensor& o) {
    if (reel::detail::thread_modes.observers) recording::not_recorded(name, {x, o});
    const ScalarType t = result_type(x, o);
    cpu::Loop loop = nullptr;
    switch (t) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        if constexpr (std::is_invocable_v<F, Wide<T>, Wide<T>>) loop = &compare_loop<F, T>;                            \
        break;
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        break;
    }
    if (!loop) pointwise::detail::throw_unsupported(name, t);
    const Dims sizes = broadcast_shapes(name, x.sizes(), o.sizes());
    const Tensor cx = cast_raw(x, t), co = cast_raw(o, t);
    Tensor out = pointwise::detail::result_like(cx, co, sizes, kBool);
    pointwise::detail::run_binary(name, loop, nullptr, out, expand_raw(cx, sizes), expand_raw(co, sizes));
    return out;
}
template <class F> Tensor predicate(const char* name, const Tensor& x) {
    if (reel::detail::thread_modes.observers) recording::not_recorded(name, {x});
    cpu::Loop loop = nullptr;
    switch (x.scalar_type()) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        if constexpr (std::is_invocable_v<F, Wide<T>>) loop = &predicate_loop<F, T>;                                   \
        break;
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        break;
    }
    if (!loop) pointwise::detail::throw_unsupported(name, x.scalar_type());
    Tensor out = empty_like_raw(x, kBool);
    pointwise::detail::run_unary(name, loop, nullptr, out, x);
    return out;
}

struct Eq {
    template <class T> bool operator()(T x, T o) const { return x == o; }
};
struct Ne {
    template <class T> bool operator()(T x, T o) const { return x != o; }
};
#define REEL_ORDER(Name, op)                                                                                           \
    struct Name {                                                                                                      \
        template <class T>                                                                                             \
        requires(!complex_v<T>) bool operator()(T x, T o) const { return x op o; }                                     \
    };
REEL_ORDER(Lt, <)
REEL_ORDER(Le, <=)
REEL_ORDER(Gt, >)
REEL_ORDER(Ge, >=)
template <class T> bool truth(T x) { return x != T(0); }
struct And {
    template <class T> bool operator()(T x, T o) const { return truth(x) && truth(o); }
};
struct Or {
    template <class T> bool operator()(T x, T o) const { return truth(x) || truth(o); }
};
struct Xor {
    template <class T> bool operator()(T x, T o) const { return truth(x) != truth(o); }
};
struct Not {
    template <class T> bool operator()(T x) const { return !truth(x); }
};
struct IsNan {
    template <class T> bool operator()(T x) const {
        if constexpr (complex_v<T>) return std::isnan(x.real()) || std::isnan(x.imag());
        else if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
        else return false;
    }
};
struct IsInf {
    template <class T> bool operator()(T x) const {
        if constexpr (complex_v<T>) return std::isinf(x.real()) || std::isinf(x.imag());
        else if constexpr (std::is_floating_point_v<T>) return std::isinf(x);
        else return false;
    }
};
struct IsFinite {
    template <class T> bool operator()(T x) const {
        if constexpr (complex_v<T>) return std::isfinite(x.real()) && std::isfinite(x.imag());
        else if constexpr (std::is_floating_point_v<T>) return std::isfinite(x);
        else return true;
    }
};

struct IsPosInf {
    template <class T>
    requires(!complex_v<T>) bool operator()(T x) const {
        if constexpr (std::is_floating_point_v<T>) return std::isinf(x) && x > 0;
        else return false;
    }
};
struct IsNegInf {
    template <class T>
    requires(!complex_v<T>) bool operator()(T x) const {
        if constexpr (std::is_floating_point_v<T>) return std::isinf(x) && x < 0;
        else return false;
    }
};
struct IsReal {
    template <class T> bool operator()(T x) const {
        if constexpr (complex_v<T>) return x.imag() == 0;
        else return true;
    }
};

} // namespace

#define REEL_COMPARE(name, Functor)                                                                                    \
    Tensor name(const Tensor& input, const Tensor& other) { return compare<Functor>(#name, input, other); }            \
    Tensor name(const Tensor& input, const Scalar& other) {                                                            \
        return compare<Functor>(#name, input, wrapped_number(other));                                                  \
    }

REEL_OP("eq(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
REEL_OP("eq(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_COMPARE(eq, Eq)
REEL_OP("ne(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("not_equal"))
REEL_OP("ne(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_COMPARE(ne, Ne)
REEL_OP("lt(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("less"))
REEL_OP("lt(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_COMPARE(lt, Lt)
REEL_OP("le(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("less_equal"))
REEL_OP("le(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_COMPARE(le, Le)
REEL_OP("gt(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("greater"))
REEL_OP("gt(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_COMPARE(gt, Gt)
REEL_OP("ge(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace, alias("greater_equal"))
REEL_OP("ge(Tensor input, Scalar other) -> Tensor", not_differentiable, method, out, inplace)
REEL_COMPARE(ge, Ge)

REEL_OP("logical_and(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
Tensor logical_and(const Tensor& input, const Tensor& other) { return compare<And>("logical_and", input, other); }
REEL_OP("logical_or(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
Tensor logical_or(const Tensor& input, const Tensor& other) { return compare<Or>("logical_or", input, other); }
REEL_OP("logical_xor(Tensor input, Tensor other) -> Tensor", not_differentiable, method, out, inplace)
Tensor logical_xor(const Tensor& input, const Tensor& other) { return compare<Xor>("logical_xor", input, other); }
REEL_OP("logical_not(Tensor input) -> Tensor", not_differentiable, method, out, inplace)
Tensor logical_not(const Tensor& input) { return predicate<Not>("logical_not", input); }
REEL_OP("isnan(Tensor input) -> Tensor", not_differentiable, method)
Tensor isnan(const Tensor& input) { return predicate<IsNan>("isnan", input); }
REEL_OP("isinf(Tensor input) -> Tensor", not_differentiable, method)
Tensor isinf(const Tensor& input) { return predicate<IsInf>("isinf", input); }
REEL_OP("isfinite(Tensor input) -> Tensor", not_differentiable, method)
Tensor isfinite(const Tensor& input) { return predicate<IsFinite>("isfinite", input); }
REEL_OP("isposinf(Tensor input) -> Tensor", not_differentiable, method, out)
Tensor isposinf(const Tensor& input) { return predicate<IsPosInf>("isposinf", input); }
REEL_OP("isneginf(Tensor input) -> Tensor", not_differentiable, method, out)
Tensor isneginf(const Tensor& input) { return predicate<IsNegInf>("isneginf", input); }
/// Is the imaginary part zero? True for every real element.
REEL_OP("isreal(Tensor input) -> Tensor", not_differentiable, method)
Tensor isreal(const Tensor& input) { return predicate<IsReal>("isreal", input); }

/// |input - other| <= atol + rtol |other|; equal infinities are close, NaNs with `equal_nan`.
REEL_OP("isclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
        not_differentiable, method)
Tensor isclose(const Tensor& input, const Tensor& other, double rtol, double atol, bool equal_nan) {
    REEL_CHECK(input.scalar_type() == other.scalar_type(), "isclose: input is ", dtype_name(input.scalar_type()),
               " and other is ", dtype_name(other.scalar_type()), "; expected one dtype");
    REEL_CHECK(rtol >= 0, "isclose: rtol is ", rtol, "; expected a number that is not negative");
    REEL_CHECK(atol >= 0, "isclose: atol is ", atol, "; expected a number that is not negative");
    const NoGradGuard guard;
    Tensor close = input == other;
    if (isDifferentiableType(input.scalar_type()) && equal_nan)
        close = logical_or(close, logical_and(isnan(input), isnan(other)));
    if (rtol == 0 && atol == 0) return close;
    const bool whole = isIntegralType(input.scalar_type(), true);
    const Tensor x = whole ? input.to(get_default_dtype()) : input, o = whole ? other.to(get_default_dtype()) : other;
    const Tensor allowed = abs(o * rtol) + atol, difference = abs(x - o);
    return logical_or(close, logical_and(isfinite(difference), difference <= allowed));
}

namespace {
/// Where the result lives: on the device of the first operand that is not on the CPU.
Device device_of(std::initializer_list<std::reference_wrapper<const Tensor>> operands) {
    for (const Tensor& t : operands)
        if (!t.is_cpu()) return t.device();
    return kCPU;
}
} // namespace

/// Elements of `input` where `condition` holds, of `other` elsewhere.
REEL_OP("where(Tensor condition, Tensor input, Tensor other) -> Tensor", rule, out_exact,
        samples(call(numbers({3, 4}) > 0, numbers({3, 4}), numbers({4})),
                call(numbers({3, 4}) > 0, numbers({3, 4}, kComplexDouble), numbers({3, 4}))))
Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other) {
    REEL_CHECK(condition.scalar_type() == kBool || condition.scalar_type() == kByte, "where: condition is ",
               dtype_name(condition.scalar_type()), "; expected bool");
    const ScalarType t = result_type(input, other);
    const Dims sizes =
        broadcast_shapes("where", condition.sizes(), broadcast_shapes("where", input.sizes(), other.sizes()));
    Tensor out = empty_raw(sizes, t, device_of({condition, input, other}));
    const auto operand = [&](const Tensor& x, ScalarType dtype) {
        const Tensor cast = expand_raw(cast_raw(x, dtype), sizes);
        return out.is_cpu() ? cast : pointwise::detail::following(cast, out.device());
    };
    kernels::where(out, operand(condition, kBool), operand(input, t), operand(other, t));
    record("where", {condition, input, other}, out, {condition},
           [cx = input.is_complex(), co = other.is_complex()](RuleContext& c) -> GradList {
               const Tensor cond = c.saved(0);
               const Tensor& g = c.grad();
               return {Tensor(), c.needs(1) ? pointwise::fit_gradient(where(cond, g, Scalar(0)), cx) : Tensor(),
                       c.needs(2) ? pointwise::fit_gradient(where(cond, Scalar(0), g), co) : Tensor()};
           });
    return out;
}
REEL_OP("where(Tensor condition, Tensor input, Scalar other) -> Tensor", composite, out_exact)
Tensor where(const Tensor& condition, const Tensor& input, const Scalar& other) {
    return where(condition, input, wrapped_number(other));
}
REEL_OP("where(Tensor condition, Scalar input, Tensor other) -> Tensor", composite, out_exact)
Tensor where(const Tensor& condition, const Scalar& input, const Tensor& other) {
    return where(condition, wrapped_number(input), other);
}
REEL_OP("where(Tensor condition, Scalar input, Scalar other) -> Tensor", not_differentiable, out_exact)
Tensor where(const Tensor& condition, const Scalar& input, const Scalar& other) {
    return where(condition, wrapped_number(input), wrapped_number(other));
}
Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
    return reel::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, const Scalar& other) const {
    return reel::where(condition, *this, other);
}
REEL_OP("masked_fill(Tensor input, Tensor mask, Scalar value) -> Tensor", composite, method, inplace)
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Scalar& value) {
    REEL_CHECK(mask.scalar_type() == kBool, "masked_fill: mask is ", dtype_name(mask.scalar_type()), "; expected bool");
    REEL_CHECK(input.is_complex() || !value.isComplex(), "masked_fill: value ", value, " does not convert to ",
               dtype_name(input.scalar_type()));
    return where(mask, reel::full({}, value, TensorOptions(input.scalar_type()).device(input.device())), input);
}
/// `value` is 0-dim and gets the sum of the gradients of the places that it fills.
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

} // namespace reel
