// Division and its remainders.
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/pointwise/rounding.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/pointwise/arithmetic.hpp>

#include "ops/pointwise/elementwise.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/host_values.hpp"

namespace reel {

using namespace elementwise;

namespace {

struct FloorDiv {
    template <class T> T operator()(T x, T o) const {
        if constexpr (std::is_integral_v<T>) {
            if constexpr (std::is_signed_v<T>)
                if (o == T(-1)) return T(0 - std::make_unsigned_t<T>(x));
            const T q = T(x / o);
            return (x % o != 0 && (x < 0) != (o < 0)) ? T(q - 1) : q;
        } else {
            if (o == 0) return x / o;
            const T rest = std::fmod(x, o);
            T q = (x - rest) / o;
            if (rest != 0 && (o < 0) != (rest < 0)) q -= T(1);
            if (q == 0) return std::copysign(T(0), x / o);
            const T whole = std::floor(q);
            return q - whole > T(0.5) ? whole + T(1) : whole;
        }
    }
};
struct TruncDiv {
    template <class T> T operator()(T x, T o) const {
        if constexpr (std::is_signed_v<T>)
            if (o == T(-1)) return T(0 - std::make_unsigned_t<T>(x));
        return T(x / o);
    }
};
/// Sign of the divisor.
struct Remainder {
    template <class T> T operator()(T x, T o) const {
        if constexpr (std::is_integral_v<T>) {
            if constexpr (std::is_signed_v<T>)
                if (o == T(-1)) return 0;
            const T r = T(x % o);
            return r != 0 && (r < 0) != (o < 0) ? T(r + o) : r;
        } else {
            const T r = std::fmod(x, o);
            return r != 0 && (r < 0) != (o < 0) ? r + o : r;
        }
    }
};
/// Sign of the dividend.
struct Fmod {
    template <class T> T operator()(T x, T o) const {
        if constexpr (std::is_integral_v<T>) {
            if constexpr (std::is_signed_v<T>)
                if (o == T(-1)) return 0;
            return T(x % o);
        } else return std::fmod(x, o);
    }
};

void check_divisor(const char* op, ScalarType t, const Tensor& o) {
    if (!isIntegralType(t, true) || o.numel() == 0 || !reel::detail::has_values(o)) return;
    const reel::detail::HostValues<bool> zero(reel::detail::cast_raw(o, t) == 0, op);
    REEL_CHECK(std::find(zero.begin(), zero.end(), true) == zero.end(), op, ": an integer divisor is zero");
}
/// Floats round the quotient to their dtype before they drop its fraction.
Tensor truncated(const char* op, const Tensor& x, const Tensor& o) {
    const ScalarType t = promoted(x, o);
    if (!isIntegralType(t)) {
        const NoGradGuard guard;
        REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), op, ": there is no kernel for ", dtype_name(t),
                                   " that truncates");
        return trunc(div(x, o));
    }
    check_divisor(op, t, o);
    return map<Ints>(op, t, TruncDiv(), x, o);
}
template <class F> Tensor rounded(const char* op, const Tensor& x, const Tensor& o) {
    const ScalarType t = promoted(x, o);
    check_divisor(op, t, o);
    return map<Reals>(op, t, F(), x, o);
}
/// Steps have no slope.
Tensor flat(const char* op, const Tensor& x, const Tensor& o, const Tensor& y) {
    record(op, {x, o}, y, {}, [](RuleContext& c) -> GradList { return {zeros_like(c.grad()), zeros_like(c.grad())}; });
    return y;
}
Tensor div_mode(const char* op, const Tensor& x, const Tensor& o, std::optional<std::string_view> mode) {
    if (!mode) return div(x, o);
    REEL_CHECK(*mode == "floor" || *mode == "trunc", op, ": rounding_mode is '", *mode,
               "'; expected 'floor', 'trunc' or None");
    return flat(op, x, o, *mode == "floor" ? rounded<FloorDiv>(op, x, o) : truncated(op, x, o));
}

} // namespace

REEL_OP("div(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("divide"))
Tensor div(const Tensor& input, const Tensor& other) {
    return pointwise::binary_op("div", pointwise::div_op{}, input, other);
}
REEL_OP("div(Tensor input, Scalar other) -> Tensor", rule, method, out, inplace)
Tensor div(const Tensor& input, const Scalar& other) {
    return pointwise::binary_number("div", pointwise::div_op{}, input, other);
}
/// Divides and rounds down (`floor`) or towards zero (`trunc`); integers stay integers.
REEL_OP("div(Tensor input, Tensor other, *, str? rounding_mode) -> Tensor", rule, method, out, inplace)
Tensor div(const Tensor& input, const Tensor& other, std::optional<std::string_view> rounding_mode) {
    return div_mode("div", input, other, rounding_mode);
}
REEL_OP("div(Tensor input, Scalar other, *, str? rounding_mode) -> Tensor", rule, method, out, inplace)
Tensor div(const Tensor& input, const Scalar& other, std::optional<std::string_view> rounding_mode) {
    return div_mode("div", input, number(other), rounding_mode);
}
REEL_OP("true_divide(Tensor input, Tensor other) -> Tensor", composite, method, out, inplace)
Tensor true_divide(const Tensor& input, const Tensor& other) { return div(input, other); }
REEL_OP("true_divide(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor true_divide(const Tensor& input, const Scalar& other) { return div(input, other); }

REEL_OP("floor_divide(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
Tensor floor_divide(const Tensor& input, const Tensor& other) {
    return flat("floor_divide", input, other, rounded<FloorDiv>("floor_divide", input, other));
}
REEL_OP("floor_divide(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor floor_divide(const Tensor& input, const Scalar& other) { return floor_divide(input, number(other)); }

/// x - o floor(x / o)
REEL_OP("remainder(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
Tensor remainder(const Tensor& input, const Tensor& other) {
    const Tensor y = rounded<Remainder>("remainder", input, other);
    record("remainder", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        return {c.needs(0) ? c.grad() : Tensor(),
                c.needs(1) ? -c.grad() * div(c.saved(0), c.saved(1), "floor") : Tensor()};
    });
    return y;
}
REEL_OP("remainder(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor remainder(const Tensor& input, const Scalar& other) { return remainder(input, number(other)); }
REEL_OP("remainder(Scalar input, Tensor other) -> Tensor", composite, out)
Tensor remainder(const Scalar& input, const Tensor& other) { return remainder(number(input), other); }

/// x - o trunc(x / o)
REEL_OP("fmod(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace)
Tensor fmod(const Tensor& input, const Tensor& other) {
    const Tensor y = rounded<Fmod>("fmod", input, other);
    record("fmod", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        return {c.needs(0) ? c.grad() : Tensor(),
                c.needs(1) ? -c.grad() * div(c.saved(0), c.saved(1), "trunc") : Tensor()};
    });
    return y;
}
REEL_OP("fmod(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor fmod(const Tensor& input, const Scalar& other) { return fmod(input, number(other)); }

} // namespace reel
