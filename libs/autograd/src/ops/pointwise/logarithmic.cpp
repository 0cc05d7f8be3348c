// Logarithms of sums and products, and their kin.
#include "ops/pointwise/elementwise.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/shape/view.hpp>

namespace reel {

using namespace elementwise;

namespace {

template <class T> T log_add_exp(T x, T o) {
    if (std::isinf(x) && x == o) return x;
    const T m = x != x || x > o ? x : o;
    return m + std::log1p(std::exp(-std::abs(x - o)));
}
template <class R> std::complex<R> log_add_exp(std::complex<R> x, std::complex<R> o) {
    const bool x_nan = std::isnan(x.real()) || std::isnan(x.imag()),
               o_nan = std::isnan(o.real()) || std::isnan(o.imag());
    if (x_nan || o_nan) return {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN()};
    const std::complex<R> low = x.real() < o.real() ? x : o, high = x.real() < o.real() ? o : x;
    if (!std::isfinite(low.real()) && low.real() == high.real()) {
        if (low.real() < 0) return low;
        return std::log(std::exp(low) + std::exp(high));
    }
    return high + math::log1p(std::exp(low - high));
}
template <class T> T log_add_exp2(T x, T o) {
    if (std::isinf(x) && x == o) return x;
    const T m = x != x || x > o ? x : o;
    return m + std::log1p(std::exp2(-std::abs(x - o))) * T(1.442695040888963407);
}

} // namespace

/// log(e^x + e^o), without overflow.  gx = g sigmoid(x - o)
REEL_OP("logaddexp(Tensor input, Tensor other) -> Tensor", rule, method, out)
Tensor logaddexp(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats | Complexes>(
        "logaddexp", promoted(input, other), [](auto x, auto o) { return log_add_exp(x, o); }, input, other);
    record("logaddexp", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0), o = c.saved(1), &g = c.grad();
        return {c.needs(0) ? fit_gradient(g * conj(sigmoid(x - o)), x.is_complex()) : Tensor(),
                c.needs(1) ? fit_gradient(g * conj(sigmoid(o - x)), o.is_complex()) : Tensor()};
    });
    return y;
}
/// log2(2^x + 2^o), without overflow.  gx = g / (1 + 2^(o - x)) = g sigmoid((x - o) log 2)
REEL_OP("logaddexp2(Tensor input, Tensor other) -> Tensor", rule, method, out)
Tensor logaddexp2(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "logaddexp2", promoted(input, other), [](auto x, auto o) { return log_add_exp2(x, o); }, input, other);
    record("logaddexp2", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0), o = c.saved(1), &g = c.grad();
        constexpr double log_2 = 0.693147180559945309;
        return {c.needs(0) ? g * sigmoid((x - o) * log_2) : Tensor(),
                c.needs(1) ? g * sigmoid((o - x) * log_2) : Tensor()};
    });
    return y;
}

/// x log(o), zero where x is zero unless o is NaN.
REEL_OP("xlogy(Tensor input, Tensor other) -> Tensor", rule, method, out, inplace, alias("special.xlogy"))
Tensor xlogy(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "xlogy", to_float(input, other),
        [](auto x, auto o) -> decltype(x) { return o != o   ? o
                                                   : x == 0 ? 0
                                                            : x * std::log(o); }, input, other);
    record("xlogy", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0), o = c.saved(1), &g = c.grad();
        const Tensor constant = logical_and(x == 0, o <= 0); // along o, and by convention along x
        return {c.needs(0) ? xlogy(g, masked_fill(o, constant, 1)) : Tensor(),
                c.needs(1) ? g * x / masked_fill(o, constant, std::numeric_limits<double>::infinity()) : Tensor()};
    });
    return y;
}
REEL_OP("xlogy(Tensor input, Scalar other) -> Tensor", composite, method, out, inplace)
Tensor xlogy(const Tensor& input, const Scalar& other) { return xlogy(input, number(other)); }
REEL_OP("xlogy(Scalar input, Tensor other) -> Tensor", composite, out)
Tensor xlogy(const Scalar& input, const Tensor& other) { return xlogy(number(input), other); }

/// x log(1 + o), zero where x is zero unless o is NaN.
REEL_OP("special.xlog1py(Tensor input, Tensor other) -> Tensor", rule, out)
Tensor special_xlog1py(const Tensor& input, const Tensor& other) {
    const Tensor y = map<Floats>(
        "special.xlog1py", to_float(input, other),
        [](auto x, auto o) -> decltype(x) { return o != o   ? o
                                                   : x == 0 ? 0
                                                            : x * std::log1p(o); }, input, other);
    record("special.xlog1py", {input, other}, y, {input, other}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0), o = c.saved(1), &g = c.grad();
        const Tensor constant = logical_and(x == 0, o <= -1); // along o, and by convention along x
        return {c.needs(0) ? special_xlog1py(g, masked_fill(o, constant, 0)) : Tensor(),
                c.needs(1) ? g * x / masked_fill(o + 1, constant, std::numeric_limits<double>::infinity()) : Tensor()};
    });
    return y;
}
REEL_OP("special.xlog1py(Tensor input, Scalar other) -> Tensor", composite, out)
Tensor special_xlog1py(const Tensor& input, const Scalar& other) { return special_xlog1py(input, number(other)); }
REEL_OP("special.xlog1py(Scalar input, Tensor other) -> Tensor", composite, out)
Tensor special_xlog1py(const Scalar& input, const Tensor& other) { return special_xlog1py(number(input), other); }

/// log(x / (1 - x)); with `eps`, x is first brought into [eps, 1 - eps].
REEL_OP("logit(Tensor input, float? eps=None) -> Tensor", rule, method, out, inplace, alias("special.logit"))
Tensor logit(const Tensor& input, std::optional<double> eps) {
    const double e = eps.value_or(-1);
    const Tensor y = map<Floats>(
        "logit", to_float(input),
        [e](auto x) {
            using T = decltype(x);
            if (e >= 0) x = x < T(e) ? T(e) : x > T(1 - e) ? T(1 - e) : x;
            return x == T(1) ? std::numeric_limits<T>::infinity() : std::log(x / (T(1) - x));
        },
        input);
    record("logit", {input}, y, {input}, [e](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        const double low = e >= 0 ? e : 0, outside = e >= 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
        const Tensor inside = logical_and(x >= low, x <= 1 - low), within = where(inside, x, 0.5);
        return {where(inside, c.grad() / (within * (1 - within)), outside)};
    });
    return y;
}

/// -x log(x); zero at 0, -infinity below.
REEL_OP("special.entr(Tensor input) -> Tensor", rule, out)
Tensor special_entr(const Tensor& input) {
    const Tensor y = map<Floats>(
        "special.entr", to_float(input),
        [](auto x) {
            using T = decltype(x);
            return x != x ? x : x > 0 ? -x * std::log(x) : x == 0 ? T(0) : -std::numeric_limits<T>::infinity();
        },
        input);
    record("special.entr", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {c.grad() * (-log(c.saved(0)) - 1)}; });
    return y;
}

} // namespace reel
