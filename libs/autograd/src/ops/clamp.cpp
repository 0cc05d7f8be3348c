// Bounds: clamp and its halves, fmax, fmin, nan_to_num.
#include "ops/elementwise.hpp"

#include <cmath>
#include <limits>

namespace reel {

using namespace elementwise;

namespace {

struct Lower {
    template <class T> T operator()(T x, T low) const { return x != x ? x : low != low ? low : x < low ? low : x; }
};
struct Upper {
    template <class T> T operator()(T x, T high) const {
        return x != x ? x : high != high ? high : x > high ? high : x;
    }
};
/// Numbers as bounds: a NaN bound makes everything NaN, the upper bound wins.
struct Both {
    template <class T> T operator()(T x, T low, T high) const { return Upper()(Lower()(x, low), high); }
};
Tensor clamp_between(const char* name, const Tensor& input, const Tensor& min, const Tensor& max) {
    REEL_CHECK(min.defined() || max.defined(), name, ": both min and max are None; expected at least one");
    if (!max.defined()) {
        const Tensor y = map<Reals | Bools>(name, promoted(input, min), Lower(), input, min);
        record(name, {input, min}, y, {input, min}, [](RuleContext& c) -> GradList {
            const Tensor x = c.saved(0), low = c.saved(1);
            return {c.needs(0) ? where(x >= low, c.grad(), 0) : Tensor(),
                    c.needs(1) ? where(x < low, c.grad(), 0) : Tensor()};
        });
        return y;
    }
    if (!min.defined()) {
        const Tensor y = map<Reals | Bools>(name, promoted(input, max), Upper(), input, max);
        record(name, {input, max}, y, {input, max}, [](RuleContext& c) -> GradList {
            const Tensor x = c.saved(0), high = c.saved(1);
            return {c.needs(0) ? where(x <= high, c.grad(), 0) : Tensor(),
                    c.needs(1) ? where(x > high, c.grad(), 0) : Tensor()};
        });
        return y;
    }
    const Tensor y = map<Reals>(name, promoted(input, min, max), Both(), input, min, max);
    record(name, {input, min, max}, y, {input, min, max}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0), low = c.saved(1), high = c.saved(2), &g = c.grad();
        return {c.needs(0) ? where(logical_and(x >= low, x <= high), g, 0) : Tensor(),
                c.needs(1) ? where(logical_and(low < high, x < low), g, 0) : Tensor(),
                c.needs(2) ? where(logical_or(x > high, high < low), g, 0) : Tensor()};
    });
    return y;
}
Tensor optional_number(const std::optional<Scalar>& s) { return s ? number(*s) : Tensor(); }

} // namespace

/// min(max(x, min), max); bounds broadcast and get gradients where they bind.
REEL_OP("clamp(Tensor input, Tensor? min=None, Tensor? max=None) -> Tensor", method, out, inplace, alias("clip"))
Tensor clamp(const Tensor& input, const Tensor& min, const Tensor& max) {
    return clamp_between("clamp", input, min, max);
}
REEL_OP("clamp(Tensor input, Scalar? min=None, Scalar? max=None) -> Tensor", method, out, inplace)
Tensor clamp(const Tensor& input, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
    return clamp_between("clamp", input, optional_number(min), optional_number(max));
}
REEL_OP("clamp_min(Tensor input, Tensor min) -> Tensor", method, out, inplace)
Tensor clamp_min(const Tensor& input, const Tensor& min) { return clamp_between("clamp_min", input, min, {}); }
REEL_OP("clamp_min(Tensor input, Scalar min) -> Tensor", method, out, inplace)
Tensor clamp_min(const Tensor& input, const Scalar& min) { return clamp_between("clamp_min", input, number(min), {}); }
REEL_OP("clamp_max(Tensor input, Tensor max) -> Tensor", method, out, inplace)
Tensor clamp_max(const Tensor& input, const Tensor& max) { return clamp_between("clamp_max", input, {}, max); }
REEL_OP("clamp_max(Tensor input, Scalar max) -> Tensor", method, out, inplace)
Tensor clamp_max(const Tensor& input, const Scalar& max) { return clamp_between("clamp_max", input, {}, number(max)); }

/// The larger one; NaN loses.  The gradient goes to `input` at ties.
REEL_OP("fmax(Tensor input, Tensor other) -> Tensor", method, out)
Tensor fmax(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Reals | Bools>(
        "fmax", promoted(input, other), [](auto x, auto o) { return o != o || x >= o ? x : o; }, input, other);
    record("fmax", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        const Tensor first = logical_or(c.saved(0) >= c.saved(1), isnan(c.saved(1)));
        return {c.needs(0) ? where(first, c.grad(), 0) : Tensor(),
                c.needs(1) ? masked_fill(c.grad(), first, 0) : Tensor()};
    });
    return y;
}
/// The smaller one; NaN loses.  The gradient goes to `input` at ties.
REEL_OP("fmin(Tensor input, Tensor other) -> Tensor", method, out)
Tensor fmin(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Reals | Bools>(
        "fmin", promoted(input, other), [](auto x, auto o) { return o != o || x <= o ? x : o; }, input, other);
    record("fmin", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        const Tensor first = logical_or(c.saved(0) <= c.saved(1), isnan(c.saved(1)));
        return {c.needs(0) ? where(first, c.grad(), 0) : Tensor(),
                c.needs(1) ? masked_fill(c.grad(), first, 0) : Tensor()};
    });
    return y;
}

/// NaN becomes `nan`, infinities `posinf` and `neginf`: by default 0 and the dtype's extremes. Integers stay.
REEL_OP("nan_to_num(Tensor input, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", method, out,
        inplace)
Tensor nan_to_num(const Tensor& input, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
    const ScalarType t = input.scalar_type();
    if (isIntegralType(t, true)) return input.clone();
    const double largest = t == kHalf                          ? 65504
                           : t == kBFloat16                    ? 3.3895313892515355e38
                           : t == kFloat || t == kComplexFloat ? double(std::numeric_limits<float>::max())
                                                               : std::numeric_limits<double>::max();
    const double for_nan = nan.value_or(0), high = posinf.value_or(largest), low = neginf.value_or(-largest);
    const auto real = [=](auto x) {
        using T = decltype(x);
        return x != x ? T(for_nan) : std::isinf(x) ? (x > 0 ? T(high) : T(low)) : x;
    };
    const Tensor y = map<Floats | Complexes>(
        "nan_to_num", t,
        [real](auto x) -> decltype(x) {
            if constexpr (is_complex_v<decltype(x)>) return {real(x.real()), real(x.imag())};
            else return real(x);
        },
        input);
    record("nan_to_num", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {c.grad() * isfinite(c.saved(0))}; });
    return y;
}

} // namespace reel
