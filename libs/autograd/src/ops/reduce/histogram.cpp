// Counting elements by value: bincount, histc, histogram, histogramdd.
#include <reel/autograd/kernels/histogram.hpp>
#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/histogram.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// The outer edges of the bins of one dimension.
struct Range {
    double low, high;
};

/// Smallest and greatest element of a row-major float64 column of `points` [n, dims]; 0 and 1 when there are none.
Range data_range(const char* op, const Tensor& points, std::int64_t column) {
    const Tensor chosen = contiguous_raw(select_raw(points, 1, column));
    if (chosen.numel() > 0 && kernels::extremum.has(chosen.device().type())) {
        const Tensor low = empty_raw({}, chosen), high = empty_raw({}, chosen);
        kernels::extremum(op, low, chosen, chosen.numel(), false);
        kernels::extremum(op, high, chosen, chosen.numel(), true);
        const Range r{low.item().toDouble(), high.item().toDouble()};
        if (std::isfinite(r.low) && std::isfinite(r.high)) return r;
    }
    const HostValues<double> values(chosen, op);
    Range r{0, values.size() == 0 ? 1. : 0.};
    for (std::int64_t i = 0; i < values.size(); ++i) {
        const double v = values[i];
        REEL_CHECK(std::isfinite(v), op, ": the range of the input is not finite (it holds ", v,
                   "); give an explicit range");
        r = i == 0 ? Range{v, v} : Range{std::min(r.low, v), std::max(r.high, v)};
    }
    return r;
}

/// `bins` + 1 edges of the dtype of `like`, the outer ones exact.
Tensor even_edges(Range r, std::int64_t bins, const Tensor& like) {
    return linspace(Scalar(r.low), Scalar(r.high), bins + 1, TensorOptions(like.scalar_type()).device(like.device()));
}

void check_input(const char* op, const Tensor& input) {
    kernels::histogram.require(op, input);
    REEL_CHECK_NOT_IMPLEMENTED(input.scalar_type() == kFloat || input.scalar_type() == kDouble, op,
                               ": input must be float32 or float64, got ", toString(input.scalar_type()));
}

/// What fell into the boxes, and for each point which box (row-major), or -1.
struct Boxes {
    Tensor sums, cells;
};
/// Sorts points [n, dims] into the boxes between `edges`; what lies outside is left out, the last bin of each
/// dimension includes its upper edge.
Boxes sort_points(const char* op, const Tensor& points, const std::vector<Tensor>& edges, const Tensor& weight,
                  ScalarType dtype) {
    const std::int64_t n = points.size(0);
    const Tensor at = contiguous_raw(cast_raw(points, kDouble));
    std::vector<Tensor> walls;
    Dims sizes;
    for (const Tensor& e : edges) {
        walls.push_back(contiguous_raw(cast_raw(e, kDouble)));
        sizes.push_back(e.numel() - 1);
        const HostValues<double> p(walls.back(), op);
        for (std::int64_t i = 0; i + 1 < p.size(); ++i)
            REEL_CHECK(p[i] <= p[i + 1], op, ": bin edges must ascend, got ", p[i], " before ", p[i + 1]);
    }
    check_sizes(op, sizes, kDouble);
    if (weight.defined())
        REEL_CHECK(weight.numel() == n && weight.scalar_type() == dtype, op, ": weight must have one ", toString(dtype),
                   " number per point (", n, "), got ", toString(weight.scalar_type()), " ", weight.sizes());
    const Tensor w = weight.defined() ? contiguous_raw(cast_raw(weight, kDouble)) : Tensor();
    const Tensor sums = empty_raw(sizes, kDouble, at.device()), cells = empty_raw({n}, kLong, at.device());
    kernels::histogram(op, sums, cells, at, walls, w);
    return {sums, cells};
}

[[noreturn]] void refuse_input(const char* op, const char* argument) {
    REEL_THROW(NotImplementedError, op, ": the derivative with respect to ", argument,
               " is not implemented; detach it first");
}

/// The sums, with `density` over their total and the boxes' volumes. The weights have a gradient; backward refuses to
/// give one to the points or the edges.
Tensor count_points(const char* op, const Tensor& input, const Tensor& points, const std::vector<Tensor>& edges,
                    const Tensor& weight, bool density) {
    const ScalarType dtype = input.scalar_type();
    const Boxes boxes = sort_points(op, points, edges, weight, dtype);
    Tensor hist = boxes.sums;
    std::vector<Tensor> operands{input, weight};
    operands.insert(operands.end(), edges.begin(), edges.end());
    record(op, TensorList(operands), TensorList(hist), {boxes.cells},
           [op, n = operands.size(), sizes = weight.defined() ? Dims(weight.sizes()) : Dims()](RuleContext& c) {
               for (std::size_t i = 0; i < n; ++i)
                   if (i != 1 && c.needs(i)) refuse_input(op, i == 0 ? "input" : "bins");
               const Tensor cells = c.saved(0), outside = cells < 0;
               GradList g(n);
               g[1] = index_select(reshape(c.grad(), {-1}), 0, masked_fill(cells, outside, 0));
               g[1] = reshape(masked_fill(g[1], outside, 0), sizes);
               return g;
           });
    if (density) {
        Tensor volumes = ones({}, TensorOptions(kDouble).device(input.device()));
        for (const Tensor& e : edges) volumes = unsqueeze(volumes, -1) * diff(e.detach().to(kDouble));
        hist = hist / (sum(hist) * volumes);
    }
    return hist.scalar_type() == dtype ? hist : hist.to(dtype);
}

/// [n, dims] with a row-major float64 copy's layout, from [..., dims].
Tensor as_points(const Tensor& input, std::int64_t dims) {
    const Tensor wide = contiguous_raw(cast_raw(input, kDouble));
    return alias_raw(wide, {dims == 0 ? 0 : wide.numel() / dims, dims}, {dims, 1}, wide.storage_offset());
}

std::vector<Tensor> edges_of_dims(const char* op, const Tensor& input, const Tensor& points, IntArrayRef bins,
                                  std::optional<ArrayRef<double>> range) {
    const std::int64_t dims = points.size(1);
    REEL_CHECK(!range || std::int64_t(range->size()) == 2 * dims, op, ": range must list a lower and an upper end for ",
               "each of the ", dims, " dimensions, got ", range->size(), " numbers");
    std::vector<Tensor> out;
    for (std::int64_t d = 0; d < dims; ++d) {
        REEL_CHECK(bins[std::size_t(d)] > 0, op, ": bins must be positive, got ", bins[std::size_t(d)]);
        check_sizes(op, checked_add(op, "the number of edges", bins[std::size_t(d)], 1), kDouble);
        Range r =
            range ? Range{(*range)[std::size_t(2 * d)], (*range)[std::size_t(2 * d + 1)]} : data_range(op, points, d);
        REEL_CHECK(std::isfinite(r.low) && std::isfinite(r.high) && r.low <= r.high, op, ": range [", r.low, ", ",
                   r.high, "] must be finite and ascend");
        if (r.low == r.high) r = {r.low - 0.5, r.high + 0.5};
        out.push_back(even_edges(r, bins[std::size_t(d)], input));
        if (!range) record(op, {input}, out.back(), {}, [op](RuleContext&) -> GradList { refuse_input(op, "input"); });
    }
    return out;
}
} // namespace

namespace {
/// How often each number occurs, if all lie in [0, `few`), in one pass: two tables, so that an equal neighbour need not
/// wait. Nothing if one lies elsewhere.
std::vector<std::int64_t> counts_of_few(const HostValues<std::int64_t>& values) {
    static constexpr std::size_t few = 8192;
    std::vector<std::int64_t> total(few);
    std::atomic<bool> outside = false;
    std::mutex adding;
    parallel_for(0, values.size(), std::int64_t(32 * few), [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> tables(2 * few + 2); // the last of each counts what lies elsewhere
        std::uint64_t *even = tables.data(), *odd = even + few + 1;
        const auto place = [](std::int64_t v) { return std::min<std::uint64_t>(std::uint64_t(v), few); };
        std::int64_t i = begin;
        for (; i + 2 <= end; i += 2) {
            ++even[place(values[i])];
            ++odd[place(values[i + 1])];
        }
        if (i < end) ++even[place(values[i])];
        if (even[few] + odd[few] != 0) outside = true;
        const std::lock_guard lock(adding);
        for (std::size_t k = 0; k < few; ++k) total[k] += std::int64_t(even[k] + odd[k]);
    });
    if (outside) return {};
    while (!total.empty() && total.back() == 0) total.pop_back();
    return total;
}
} // namespace

/// How often each number occurs in a vector of non-negative integers, or the sums of `weights` there; at least
/// `minlength` entries.
REEL_OP("bincount(Tensor input, Tensor? weights=None, int minlength=0) -> Tensor", rule, method,
        samples(call(longs({0, 2, 2, 1}), numbers({4}))))
Tensor bincount(const Tensor& input, const Tensor& weights, std::int64_t minlength) {
    REEL_CHECK(input.dim() == 1 && isIntegralType(input.scalar_type(), false),
               "bincount: input must be a vector of integers, got ", toString(input.scalar_type()), " ", input.sizes());
    REEL_CHECK(minlength >= 0, "bincount: minlength must not be negative, got ", minlength);
    REEL_CHECK(!weights.defined() || weights.sizes().equals(input.sizes()), "bincount: weights must have the sizes of ",
               "input ", input.sizes(), ", got ", weights.sizes());
    const Tensor at = contiguous_raw(cast_raw(input, kLong));
    const HostValues<std::int64_t> values(at, "bincount");
    if (!weights.defined() && values.size() >= 65536)
        if (std::vector<std::int64_t> counts = counts_of_few(values); !counts.empty()) {
            const std::int64_t n = std::max(minlength, std::int64_t(counts.size()));
            check_sizes("bincount", n, kLong);
            const Tensor out = zeros_raw({n}, empty_raw({0}, kLong, input.device()));
            copy_raw(narrow_raw(out, 0, 0, std::int64_t(counts.size())), tensor_of(counts));
            return out;
        }
    std::int64_t greatest = -1, least = 0;
    for (const std::int64_t v : values) {
        greatest = std::max(greatest, v);
        least = std::min(least, v);
    }
    REEL_CHECK(least >= 0, "bincount: input must not be negative, got ", least);
    const std::int64_t n = std::max(minlength, checked_add("bincount", "the number of bins", greatest, 1));
    const ScalarType t = !weights.defined() ? kLong : weights.scalar_type() == kFloat ? kFloat : kDouble;
    check_sizes("bincount", n, t);
    const Tensor out = zeros_raw({n}, empty_raw({0}, t, input.device()));
    Tensor mass = weights.defined() ? cast_raw(weights, t) : empty_raw({}, kLong, input.device());
    if (!weights.defined()) fill_raw(mass, Scalar(1));
    scatter_raw(ScatterMode::Add, out, 0, at, expand_raw(mass, at.sizes()));
    record("bincount", {input, weights}, out, {at}, [](RuleContext& c) -> GradList {
        return {Tensor(), index_select(c.grad(), 0, c.saved(0))};
    });
    return out;
}

/// Counts of elements in `bins` equal bins between `min` and `max` (both 0: between the extremes of the input). What
/// lies outside is left out. Counts are constant almost everywhere: the gradient is zero.
REEL_OP("histc(Tensor input, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", rule, method, out_exact)
Tensor histc(const Tensor& input, std::int64_t bins, const Scalar& min, const Scalar& max) {
    kernels::histc.require("histc", input);
    REEL_CHECK(bins > 0, "histc: bins must be positive, got ", bins);
    REEL_CHECK_NOT_IMPLEMENTED(input.is_floating_point(), "histc: not implemented for ", toString(input.scalar_type()));
    Range r{min.toDouble(), max.toDouble()};
    const Tensor points = as_points(input, 1);
    if (r.low == r.high && input.numel() > 0) r = data_range("histc", points, 0);
    if (r.low == r.high) r = {r.low - 1, r.high + 1};
    REEL_CHECK(std::isfinite(r.low) && std::isfinite(r.high) && r.low < r.high, "histc: range [", r.low, ", ", r.high,
               "] must be finite and ascend");
    check_sizes("histc", bins, kLong);
    const Tensor out = empty_raw({bins}, input);
    kernels::histc(out, contiguous_raw(input), r.low, r.high);
    record("histc", {input}, out, {},
           [sizes = Dims(input.sizes())](RuleContext& c) -> GradList { return {c.grad().new_zeros(sizes)}; });
    return out;
}

/// Counts (or sums of `weight`) of elements in bins of equal width over `range` (default: the extremes of the input),
/// or between the edges `bins`; and the edges. `density`: divided by the total and the widths.
REEL_OP("histogram(Tensor input, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> "
        "(Tensor hist, Tensor bin_edges)",
        rule, method, out)
std::tuple<Tensor, Tensor> histogram(const Tensor& input, std::int64_t bins, std::optional<ArrayRef<double>> range,
                                     const Tensor& weight, bool density) {
    check_input("histogram", input);
    const Tensor points = as_points(input, 1);
    const auto edges = edges_of_dims("histogram", input, points, bins, range);
    return {count_points("histogram", input, points, edges, weight, density), edges[0]};
}
REEL_OP("histogram(Tensor input, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor "
        "bin_edges)",
        rule, method, out, samples(call(numbers({4}), tensor({-2., 0., 3.}, kDouble)).with("weight", numbers({4}, 17))))
std::tuple<Tensor, Tensor> histogram(const Tensor& input, const Tensor& bins, const Tensor& weight, bool density) {
    check_input("histogram", input);
    REEL_CHECK(bins.dim() == 1 && bins.numel() >= 2 && bins.scalar_type() == input.scalar_type(),
               "histogram: bins must be a vector of at least two edges of the input's dtype, got ",
               toString(bins.scalar_type()), " ", bins.sizes());
    return {count_points("histogram", input, as_points(input, 1), {bins}, weight, density), bins.clone()};
}

/// `histogram` of points: the last dimension of `input` holds their coordinates, `bins` the number of bins (or the
/// edges) along each.
REEL_OP("histogramdd(Tensor input, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> "
        "(Tensor hist, Tensor[] bin_edges)",
        rule)
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& input, IntArrayRef bins,
                                                    std::optional<ArrayRef<double>> range, const Tensor& weight,
                                                    bool density) {
    check_input("histogramdd", input);
    REEL_CHECK(input.dim() >= 2, "histogramdd: expected at least 2 dimensions, got sizes ", input.sizes());
    const std::int64_t dims = input.size(-1);
    const Dims each = bins.size() == 1 ? Dims(std::size_t(dims), bins[0]) : Dims(bins);
    REEL_CHECK(std::int64_t(each.size()) == dims, "histogramdd: bins lists ", each.size(),
               " numbers, the last dimension of input ", input.sizes(), " has size ", dims);
    const Tensor points = as_points(input, dims);
    const auto edges = edges_of_dims("histogramdd", input, points, each, range);
    return {count_points("histogramdd", input, points, edges, weight, density), edges};
}
REEL_OP("histogramdd(Tensor input, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> "
        "(Tensor hist, Tensor[] bin_edges)",
        rule,
        samples(call(numbers({4, 1}), tensors({tensor({-2., 0., 3.}, kDouble)})).with("weight", numbers({4}, 17))))
std::tuple<Tensor, std::vector<Tensor>>
histogramdd(const Tensor& input, TensorList bins, std::optional<ArrayRef<double>>, const Tensor& weight, bool density) {
    check_input("histogramdd", input);
    REEL_CHECK(input.dim() >= 2 && std::int64_t(bins.size()) == input.size(-1), "histogramdd: bins lists ", bins.size(),
               " edges for input of sizes ", input.sizes(), "; expected one for each of its last dimension");
    const std::vector<Tensor> edges(bins.begin(), bins.end());
    for (const Tensor& e : edges)
        REEL_CHECK(e.dim() == 1 && e.numel() >= 2, "histogramdd: edges must be vectors of at least two, got sizes ",
                   e.sizes());
    return {count_points("histogramdd", input, as_points(input, input.size(-1)), edges, weight, density), edges};
}

} // namespace reel
