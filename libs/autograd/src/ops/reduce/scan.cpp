// Running sums, products, extrema along one dimension.
#include "ops/reduce/scan.hpp"

#include <limits>

#include <reel/autograd/kernels/scan.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

namespace {

Tensor cumsum_raw(const Tensor& x, std::int64_t dim, bool backwards) {
    const Lines l(x, dim);
    const Tensor out = l.make(x.scalar_type());
    kernels::cumsum(out, l.rows, backwards);
    return l.restore(out);
}
Tensor directed_cumsum(const Tensor& x, std::int64_t dim, bool backwards) {
    Tensor out = cumsum_raw(x, dim, backwards);
    record("cumsum", {x}, out, {},
           [dim, backwards](RuleContext& c) -> GradList { return {directed_cumsum(c.grad(), dim, !backwards)}; });
    return out;
}

} // namespace

Tensor reverse_cumsum(const Tensor& x, std::int64_t dim) { return directed_cumsum(x, dim, true); }

Tensor reverse(const Tensor& x, std::int64_t dim) {
    const Lines l(x, dim);
    const Tensor rows = l.make(x.scalar_type());
    kernels::reverse(rows, l.rows);
    Tensor out = l.restore(rows);
    record("reverse", {x}, out, {}, [dim](RuleContext& c) -> GradList { return {reverse(c.grad(), dim)}; });
    return out;
}

/// Running sums along `dim`; integers in int64.  gx = running sums of g from the end
REEL_OP("cumsum(Tensor input, int dim, *, Dtype? dtype=None) -> Tensor", rule, method, out, inplace)
Tensor cumsum(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype) {
    const std::int64_t d = wrap_dim("cumsum", dim, input.dim());
    const ScalarType t = sum_type("cumsum", input, dtype);
    return directed_cumsum(input.scalar_type() == t ? input : input.to(t), d, false);
}

namespace {

/// a[i] moved to place i + by along `dim`, zeros coming in.
Tensor shifted(const Tensor& a, std::int64_t dim, std::int64_t by) {
    const std::int64_t n = a.size(dim);
    Dims one(a.sizes());
    one[std::size_t(dim)] = 1;
    const Tensor gap = a.new_zeros(one);
    return by > 0 ? cat({gap, narrow(a, dim, 0, n - 1)}, dim) : cat({narrow(a, dim, 1, n - 1), gap}, dim);
}
/// y[i] = g[i] + a[i] y[i - 1], or y[i + 1] when it runs backwards; the first factor is not read.
Tensor recurrence(const Tensor& g, const Tensor& a, std::int64_t dim, bool backwards) {
    const Lines l(g, dim), la(a, dim);
    const Tensor rows = l.make(g.scalar_type());
    kernels::recurrence(rows, l.rows, la.rows, backwards);
    Tensor out = l.restore(rows);
    record("recurrence", {g, a}, out, {a, out}, [dim, backwards](RuleContext& c) -> GradList {
        const Tensor a = c.saved(0), y = c.saved(1);
        const std::int64_t by = backwards ? 1 : -1;
        const Tensor gg = recurrence(c.grad(), conj(shifted(a, dim, by)), dim, !backwards);
        return {gg, c.needs(1) ? gg * conj(shifted(y, dim, -by)) : Tensor()};
    });
    return out;
}
Tensor cumprod_raw(const Tensor& x, std::int64_t dim) {
    const Lines l(x, dim);
    const Tensor out = l.make(x.scalar_type());
    kernels::cumprod(out, l.rows);
    return l.restore(out);
}
Tensor cumprod_of(const Tensor& x, std::int64_t dim) {
    Tensor out = cumprod_raw(x, dim);
    record("cumprod", {x}, out, {x}, [dim](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        if (x.dim() == 0 || x.numel() == 0) return {c.grad()};
        // gx[k] = (product of x[0..k-1]) (g[k] + x[k+1] (g[k+1] + x[k+2] (...))): nothing is divided by, so zeros are
        // like other numbers.
        const std::int64_t n = x.size(dim);
        Dims one(x.sizes());
        one[std::size_t(dim)] = 1;
        const Tensor before = cat({ones(one, x.options()), cumprod_of(narrow(x, dim, 0, n - 1), dim)}, dim);
        return {recurrence(c.grad(), conj(shifted(x, dim, -1)), dim, true) * conj(before)};
    });
    return out;
}

} // namespace

/// Running products along `dim`; integers in int64.
REEL_OP("cumprod(Tensor input, int dim, *, Dtype? dtype=None) -> Tensor", rule, method, out, inplace)
Tensor cumprod(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype) {
    const std::int64_t d = wrap_dim("cumprod", dim, input.dim());
    const ScalarType t = sum_type("cumprod", input, dtype);
    return cumprod_of(input.scalar_type() == t ? input : input.to(t), d);
}

namespace {

template <bool Max> std::tuple<Tensor, Tensor> running_extremum(const char* op, const Tensor& input, std::int64_t dim) {
    const std::int64_t d = wrap_dim(op, dim, input.dim());
    check_real(input.scalar_type(), op);
    const Lines l(input, d);
    const Tensor rows = l.make(input.scalar_type()), places = l.make(kLong);
    kernels::running_extremum(op, rows, places, l.rows, Max);
    const Tensor values = l.restore(rows), indices = l.restore(places);
    const Dims shape(input.sizes());
    record(op, TensorList{input}, {values, indices}, {indices}, [d, shape](RuleContext& c) -> GradList {
        if (!c.grad(0).defined()) return {Tensor()};
        if (shape.empty()) return {c.grad(0)};
        return {scatter_add(c.grad(0).new_zeros(shape), d, c.saved(0), c.grad(0))};
    });
    return {values, indices};
}

} // namespace

/// Largest element so far along `dim` and where it is (the last of equals; a NaN stays).
REEL_OP("cummax(Tensor input, int dim) -> (Tensor values, Tensor indices)", rule, method, out_exact)
std::tuple<Tensor, Tensor> cummax(const Tensor& input, std::int64_t dim) {
    return running_extremum<true>("cummax", input, dim);
}
/// Smallest element so far along `dim` and where it is (the last of equals; a NaN stays).
REEL_OP("cummin(Tensor input, int dim) -> (Tensor values, Tensor indices)", rule, method, out_exact)
std::tuple<Tensor, Tensor> cummin(const Tensor& input, std::int64_t dim) {
    return running_extremum<false>("cummin", input, dim);
}

namespace {
/// Infinity as the largest number of the dtype: differences from it are -infinity or zero, as its limit's are.
Tensor up_to_largest(const Tensor& t) {
    const double largest[] = {65504.0, 3.38953138925153547590470800371487866880e38, std::numeric_limits<float>::max(),
                              std::numeric_limits<double>::max()};
    const ScalarType r = toRealValueType(t.scalar_type());
    return masked_fill(t, real(t) == std::numeric_limits<double>::infinity(),
                       largest[r == kHalf       ? 0
                               : r == kBFloat16 ? 1
                               : r == kFloat    ? 2
                                                : 3]);
}
} // namespace

/// log of the running sums of exp(input) along `dim`.  gx[i] = sum over j >= i of g[j] exp(x[i] - y[j])
REEL_OP("logcumsumexp(Tensor input, int dim) -> Tensor", rule, method, out_exact)
Tensor logcumsumexp(const Tensor& input, std::int64_t dim) {
    const std::int64_t d = wrap_dim("logcumsumexp", dim, input.dim());
    check_floating_complex(input.scalar_type(), "logcumsumexp");
    const Lines l(input, d);
    const Tensor rows = l.make(input.scalar_type());
    kernels::logcumsumexp(rows, l.rows);
    Tensor out = l.restore(rows);
    record("logcumsumexp", {input}, out, {input, out}, [d](RuleContext& c) -> GradList {
        const Tensor &g = c.grad(), x = up_to_largest(c.saved(0)), y = up_to_largest(c.saved(1));
        if (x.dim() == 0 || x.size(d) <= 1) return {g};
        // Weights never exceed one: from y[i] to y[i + 1], then from y[i] to x[i]. They are zero as long as there is
        // nothing but -infinity.
        const Tensor to = masked_fill(y, real(y) == -std::numeric_limits<double>::infinity(), 0);
        const Tensor decay = exp(conj(y - cat({narrow(to, d, 1, y.size(d) - 1), narrow(to, d, y.size(d) - 1, 1)}, d)));
        return {recurrence(g, decay, d, true) * exp(conj(x - to))};
    });
    return out;
}

namespace {
Tensor slice_of(const Tensor& t, std::int64_t dim, std::int64_t start, std::int64_t cut) {
    return narrow(t, dim, start, t.size(dim) - cut);
}
} // namespace

/// Differences of neighbours along `dim`, `n` times; `prepend` and `append` are joined on first.
REEL_OP("diff(Tensor input, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", composite,
        method, out_exact)
Tensor diff(const Tensor& input, std::int64_t n, std::int64_t dim, const Tensor& prepend, const Tensor& append) {
    REEL_CHECK(input.dim() > 0, "diff: input is 0-dimensional; expected at least one dimension");
    REEL_CHECK(n >= 0, "diff: n is ", n, "; expected how many times to take differences, at least 0");
    const std::int64_t d = wrap_dim("diff", dim, input.dim());
    for (const Tensor* t : {&prepend, &append}) {
        if (!t->defined()) continue;
        const char* name = t == &prepend ? "prepend" : "append";
        REEL_CHECK(t->dim() == input.dim(), "diff: ", name, " has shape ", t->sizes(),
                   "; expected as many dimensions as input ", input.sizes());
        for (std::int64_t i = 0; i < input.dim(); ++i)
            REEL_CHECK(i == d || t->size(i) == input.size(i), "diff: ", name, " has shape ", t->sizes(),
                       ", which must equal that of input ", input.sizes(), " outside of dimension ", d);
    }
    if (n == 0) return input.clone();
    Tensor x = input;
    if (prepend.defined() && append.defined()) x = cat({prepend, input, append}, d);
    else if (prepend.defined()) x = cat({prepend, input}, d);
    else if (append.defined()) x = cat({input, append}, d);
    n = std::min(n, x.size(d));
    for (std::int64_t i = 0; i < n; ++i) {
        if (x.size(d) == 0) break;
        const Tensor right = slice_of(x, d, 1, 1), left = slice_of(x, d, 0, 1);
        x = x.scalar_type() == kBool ? logical_xor(right, left) : right - left;
    }
    return x;
}

namespace {

/// Widths of the intervals between the points `x`, shaped to meet `y` along `dim`.
Tensor widths(const char* op, const Tensor& y, const Tensor& x, std::int64_t dim) {
    REEL_CHECK(y.scalar_type() != kBool && x.scalar_type() != kBool, op, ": y and x must not be bool tensors");
    Tensor points = x;
    if (x.dim() == 1) {
        REEL_CHECK(x.size(0) == y.size(dim), op, ": x has ", x.size(0), " points and y has ", y.size(dim),
                   " along dimension ", dim);
        Dims s(std::size_t(y.dim()), 1);
        s[std::size_t(dim)] = x.size(0);
        points = reshape(x, s);
    } else if (x.dim() < y.dim()) {
        Dims s(std::size_t(y.dim() - x.dim()), 1);
        for (const std::int64_t v : x.sizes()) s.push_back(v);
        points = reshape(x, s);
    }
    return slice_of(points, dim, 1, 1) - slice_of(points, dim, 0, 1);
}
Tensor neighbour_sums(const Tensor& y, std::int64_t dim) { return slice_of(y, dim, 0, 1) + slice_of(y, dim, 1, 1); }
Tensor without_dim(const Tensor& y, std::int64_t dim, std::int64_t size) {
    Dims s(y.sizes());
    if (size < 0) s.erase(s.begin() + dim);
    else s[std::size_t(dim)] = size;
    return y.new_zeros(s);
}

} // namespace

/// Integral over `dim` by the trapezoidal rule between the points `x`, or with spacing `dx`.
REEL_OP("trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor", composite)
Tensor trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim) {
    const std::int64_t d = wrap_dim("trapezoid", dim, y.dim());
    if (y.size(d) == 0) return without_dim(y, d, -1);
    return sum(neighbour_sums(y, d) * widths("trapezoid", y, x, d), d) / 2.0;
}
REEL_OP("trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", composite)
Tensor trapezoid(const Tensor& y, const Scalar& dx, std::int64_t dim) {
    const std::int64_t d = wrap_dim("trapezoid", dim, y.dim());
    REEL_CHECK(y.scalar_type() != kBool, "trapezoid: y must not be a bool tensor");
    REEL_CHECK(!dx.isComplex() && !dx.isBoolean(), "trapezoid: dx is ", dx, "; expected a real number");
    if (y.size(d) == 0) return without_dim(y, d, -1);
    return (sum(y, d) - (select(y, d, 0) + select(y, d, -1)) * 0.5) * dx.toDouble();
}
REEL_OP("trapz(Tensor y, Tensor x, *, int dim=-1) -> Tensor", composite)
Tensor trapz(const Tensor& y, const Tensor& x, std::int64_t dim) { return trapezoid(y, x, dim); }
REEL_OP("trapz(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", composite)
Tensor trapz(const Tensor& y, const Scalar& dx, std::int64_t dim) { return trapezoid(y, dx, dim); }
/// Running integral over `dim` by the trapezoidal rule.
REEL_OP("cumulative_trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor", composite)
Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim) {
    const std::int64_t d = wrap_dim("cumulative_trapezoid", dim, y.dim());
    if (y.size(d) == 0) return without_dim(y, d, 0);
    return cumsum(widths("cumulative_trapezoid", y, x, d) * neighbour_sums(y, d), d) / 2.0;
}
REEL_OP("cumulative_trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", composite)
Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx, std::int64_t dim) {
    const std::int64_t d = wrap_dim("cumulative_trapezoid", dim, y.dim());
    REEL_CHECK(y.scalar_type() != kBool, "cumulative_trapezoid: y must not be a bool tensor");
    REEL_CHECK(!dx.isComplex() && !dx.isBoolean(), "cumulative_trapezoid: dx is ", dx, "; expected a real number");
    if (y.size(d) == 0) return without_dim(y, d, 0);
    return cumsum(neighbour_sums(y, d), d) * (dx.toDouble() / 2.0);
}

} // namespace reel
