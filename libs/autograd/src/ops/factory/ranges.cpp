// Evenly spaced numbers, on a linear and on a logarithmic scale.
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/record.hpp>

#include <cmath>
#include <complex>

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
    if (options.requires_grad()) out.requires_grad_();
    return out;
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
} // namespace

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

/// Uninitialised memory of sizes `size` whose dimensions lie in memory in the order `physical_layout`.
REEL_OP("empty_permuted(int[] size, int[] physical_layout, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(ints({2, 3}), ints({1, 0}))))
Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout, TensorOptions options) {
    REEL_CHECK(size.size() == physical_layout.size(), "empty_permuted: size ", size, " and physical_layout ",
               physical_layout, " differ in length");
    check_sizes("empty_permuted", size, options.dtype());
    Dims strides(size.size(), -1);
    std::int64_t step = 1;
    for (std::size_t i = physical_layout.size(); i-- > 0;) {
        const std::int64_t d = physical_layout[i];
        REEL_CHECK(d >= 0 && d < std::int64_t(size.size()) && strides[std::size_t(d)] == -1,
                   "empty_permuted: physical_layout must name each dimension once, got ", physical_layout);
        strides[std::size_t(d)] = step;
        step *= size[std::size_t(d)] > 1 ? size[std::size_t(d)] : 1;
    }
    Tensor out = empty_strided_raw(size, strides, options.dtype(), options.device());
    if (options.requires_grad()) out.requires_grad_();
    return out;
}

} // namespace reel
