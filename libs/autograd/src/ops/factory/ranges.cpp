// Evenly spaced numbers: counted in steps, on a linear and on a logarithmic scale.
#include <reel/autograd/kernels/ranges.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/record.hpp>

#include <cmath>
#include <complex>

#include "ops/factory/fill.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace detail;

namespace {
/// `at(i)` for i in [0, steps) as a tensor of that dtype.
template <class T, class F>
Tensor series(const char* op, std::int64_t steps, const TensorOptions& options, const F& at) {
    check_sizes(op, steps, dtype_of<T>);
    const Tensor wide = generated<T>(steps, at);
    Tensor out = empty_raw({steps}, options.dtype(), options.device());
    copy_raw(out, wide);
    return factory::finish(std::move(out), options);
}

/// Number i of `steps` from `a` to `b`, counted from the nearer end so that both ends are exact.
template <class T> struct Line {
    T a, b, step;
    std::int64_t steps;
    Line(T from, T to, std::int64_t n)
        : a(from), b(to), step(n > 1 ? (to - from) / T(double(n - 1)) : T(0)), steps(n) {}
    T operator()(std::int64_t i) const {
        return i < steps / 2 || steps == 1 ? a + step * T(double(i)) : b - step * T(double(steps - 1 - i));
    }
};

TensorOptions ranged(const TensorOptions& o, bool complex) {
    return complex && !o.has_dtype() ? o.dtype(toComplexType(get_default_dtype())) : o;
}
/// Integer results are spaced between ends without fractions.
double end_point(const Scalar& v, ScalarType dtype) {
    return isIntegralType(dtype, true) ? std::trunc(v.toDouble()) : v.toDouble();
}
/// How many of start, start + step, ... lie before `end`; the step leads there.
std::int64_t steps_between(std::int64_t start, std::int64_t end, std::int64_t step) {
    const std::uint64_t span =
        step > 0 ? std::uint64_t(end) - std::uint64_t(start) : std::uint64_t(start) - std::uint64_t(end);
    const std::uint64_t by = step > 0 ? std::uint64_t(step) : 0 - std::uint64_t(step);
    const std::uint64_t n = span / by + (span % by != 0);
    REEL_CHECK_VALUE(n <= std::uint64_t(std::numeric_limits<std::int64_t>::max()), "arange: from ", start, " to ", end,
                     " in steps of ", step, " there are more than 2^63 - 1 numbers");
    return std::int64_t(n);
}
} // namespace

/// int64 when all arguments are integers, else the default dtype. An integer result counts in integers: start and step
/// lose their fractions first, and the number of elements is that of the arguments as they are.
REEL_OP("arange(Scalar end, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor arange(const Scalar& end, TensorOptions options) { return arange(Scalar(0), end, Scalar(1), options); }
REEL_OP("arange(Scalar start, Scalar end, Scalar step=1, *, TensorOptions options={}) -> Tensor", not_differentiable,
        out)
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
    const bool ints = start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true);
    const ScalarType dtype = options.has_dtype() ? ScalarType(options.dtype()) : ints ? kLong : get_default_dtype();
    REEL_CHECK(step.toDouble() != 0, "arange: step must not be zero");
    const double span = end.toDouble() - start.toDouble();
    REEL_CHECK(std::isfinite(span), "arange: start ", start, " and end ", end, " must be finite");
    REEL_CHECK(span == 0 || (span > 0) == (step.toDouble() > 0), "arange: step ", step, " leads away from end ", end,
               " when starting at ", start);
    const std::int64_t n = ints ? steps_between(start.toLong(), end.toLong(), step.toLong())
                                : checked_size("arange", "the number of elements", std::ceil(span / step.toDouble()));
    check_sizes("arange", n, dtype);
    const double from = start.toDouble(), apart = step.toDouble();
    const bool fits = std::max({std::abs(from), std::abs(apart), std::abs(end.toDouble())}) < 0x1p63;
    const bool counted = ints ? isIntegralType(dtype, true) : fits && isIntegralType(dtype, false);
    const auto integer = [](const Scalar& v) { return v.isIntegral(true) ? v.toLong() : std::int64_t(v.toDouble()); };
    const std::int64_t first = counted ? integer(start) : 0, by = counted ? integer(step) : 0;
    const Device device = options.device();
    if (counted && !launch_observer && kernels::count.has(device.type())) {
        Tensor out = empty_raw({n}, kLong, device);
        kernels::count(out, first, by);
        if (dtype != kLong) {
            const Tensor wide = std::move(out);
            out = empty_raw({n}, dtype, device);
            copy_raw(out, wide);
        }
        return factory::finish(std::move(out), options);
    }
    Tensor t = counted ? generated<std::int64_t>(n, [=](std::int64_t i) { return first + i * by; })
                       : generated<double>(n, [=](std::int64_t i) { return from + double(i) * apart; });
    if (t.scalar_type() != dtype || !(t.device() == options.device()) || launch_observer) { // recorded: always fresh
        const Tensor wide = std::move(t);
        t = empty_raw({n}, dtype, options.device());
        copy_raw(t, wide);
    }
    return factory::finish(std::move(t), options);
}

/// start, start + step, ... up to `end`, which is included where a step meets it. The default dtype, whatever the
/// arguments are; `arange`, which leaves `end` out, is what Python recommends.
REEL_OP("range(Scalar start, Scalar end, Scalar step=1, *, TensorOptions options={}) -> Tensor", not_differentiable,
        out, samples(call(1, 4), call(1, 2, 0.25), call(5, 1, -2)))
Tensor range(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
    const double from = start.toDouble(), by = step.toDouble(), span = end.toDouble() - from;
    REEL_CHECK(by != 0, "range: step must not be zero");
    REEL_CHECK(std::isfinite(span), "range: start ", start, " and end ", end, " must be finite");
    REEL_CHECK(span == 0 || (span > 0) == (by > 0), "range: step ", step, " leads away from end ", end,
               " when starting at ", start);
    const std::int64_t n = checked_size("range", "the number of elements", std::floor(span / by) + 1);
    return series<double>("range", n, options, [&](std::int64_t i) { return from + double(i) * by; });
}

/// `steps` numbers from `start` to `end`, both included.
REEL_OP("linspace(Scalar start, Scalar end, int steps, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, TensorOptions options) {
    REEL_CHECK(steps >= 0, "linspace: steps must not be negative, got ", steps);
    const TensorOptions o = ranged(options, start.isComplex() || end.isComplex());
    const ScalarType t = o.dtype();
    if (isComplexType(t))
        return series<std::complex<double>>(
            "linspace", steps, o, Line<std::complex<double>>(start.toComplexDouble(), end.toComplexDouble(), steps));
    return series<double>("linspace", steps, o, Line<double>(end_point(start, t), end_point(end, t), steps));
}

/// `base` to the power of `steps` exponents from `start` to `end`.
REEL_OP("logspace(Scalar start, Scalar end, int steps, float base=10.0, *, TensorOptions options={}) -> Tensor",
        not_differentiable, out)
Tensor logspace(const Scalar& start, const Scalar& end, std::int64_t steps, double base, TensorOptions options) {
    REEL_CHECK(steps >= 0, "logspace: steps must not be negative, got ", steps);
    const TensorOptions o = ranged(options, start.isComplex() || end.isComplex());
    const ScalarType t = o.dtype();
    if (isComplexType(t)) {
        const Line<std::complex<double>> exponent(start.toComplexDouble(), end.toComplexDouble(), steps);
        return series<std::complex<double>>(
            "logspace", steps, o, [&](std::int64_t i) { return std::pow(std::complex<double>(base), exponent(i)); });
    }
    if (steps == 1)
        return series<double>("logspace", 1, o, [&](std::int64_t) { return std::pow(base, start.toDouble()); });
    const Line<double> exponent(end_point(start, t), end_point(end, t), steps);
    return series<double>("logspace", steps, o, [&](std::int64_t i) { return std::pow(base, exponent(i)); });
}

} // namespace reel
