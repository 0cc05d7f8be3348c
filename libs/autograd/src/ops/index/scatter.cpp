// Elements written, or combined with what is there, at positions that index tensors name along one dimension.
#include "ops/index/index_kernels.hpp"
#include "ops/pointwise/run.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/number_range.hpp"

#include <limits>
#include <string_view>

#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
std::int64_t extent(const Tensor& t, std::int64_t d) { return t.dim() == 0 ? 1 : t.sizes()[std::size_t(d)]; }

Tensor copy_of(const Tensor& t) {
    Tensor out = empty_raw(t.sizes(), t);
    assign_raw(out, t);
    return out;
}

/// Checks of the scatter family; `src` may be undefined. Returns the index as int64, in range.
Tensor scatter_index(const char* op, const Tensor& input, std::int64_t d, const Tensor& index, const Tensor& src) {
    if (index.numel() > 0) index_as_long(op, index);
    if (src.defined())
        REEL_CHECK(src.scalar_type() == input.scalar_type(), op, ": src must have the dtype of input, got ",
                   toString(src.scalar_type()), " and ", toString(input.scalar_type()));
    if (index.numel() > 0) {
        const std::int64_t dims = std::max<std::int64_t>(input.dim(), 1);
        REEL_CHECK(std::max<std::int64_t>(index.dim(), 1) == dims, op, ": index of sizes ", index.sizes(),
                   " must have as many dimensions as input ", input.sizes());
        if (src.defined())
            REEL_CHECK(std::max<std::int64_t>(src.dim(), 1) == dims, op, ": src of sizes ", src.sizes(),
                       " must have as many dimensions as input ", input.sizes());
        for (std::int64_t k = 0; k < dims; ++k) {
            REEL_CHECK(k == d || extent(index, k) <= extent(input, k), op, ": index of sizes ", index.sizes(),
                       " exceeds input ", input.sizes(), " in dimension ", k);
            REEL_CHECK(!src.defined() || extent(index, k) <= extent(src, k), op, ": index of sizes ", index.sizes(),
                       " exceeds src ", src.sizes(), " in dimension ", k);
        }
    }
    return checked_index(op, index, extent(input, d));
}

/// The gradient of a source of which only the leading part was read: zeros for the rest.
Tensor widened(Tensor g, IntArrayRef sizes) {
    if (g.numel() == 0) return zeros_raw(sizes, g); // an empty index may be of any rank
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        const std::int64_t d = std::int64_t(k), n = g.sizes()[k];
        if (n == sizes[k]) continue;
        Dims wider(g.sizes());
        wider[k] = sizes[k];
        g = slice_backward(g, wider, d, 0, n, 1);
    }
    return g;
}

/// A 0-dim tensor with that value, seen under any sizes.
Tensor filled(const Tensor& like, const Scalar& value, IntArrayRef sizes) {
    const Tensor one = empty_raw({}, like);
    {
        const NoGradGuard off;
        one.fill_(value);
    }
    return expand_raw(one, sizes);
}

Tensor scatter_value(const char* op, const Tensor& input, std::int64_t dim, const Tensor& index, const Scalar& value,
                     ScatterMode mode) {
    const std::int64_t d = wrap_dim(op, dim, input.dim());
    const Tensor at = scatter_index(op, input, d, index, {});
    reel::detail::check_holds(op, input.scalar_type(), value);
    const Tensor out = copy_of(input);
    scatter_raw(mode, out, d, at, filled(input, value, at.sizes()));
    return out;
}

ScatterMode simple_mode(std::string_view reduce) {
    REEL_CHECK(reduce == "add" || reduce == "multiply", "scatter: reduce must be 'add' or 'multiply', got '", reduce,
               "'");
    return reduce == "add" ? ScatterMode::Add : ScatterMode::Multiply;
}

/// Checks of the index_* family with a source; returns the index as int64, in range.
Tensor slice_index(const char* op, const Tensor& input, std::int64_t d, const Tensor& index, const Tensor& source) {
    index_as_long(op, index);
    REEL_CHECK_INDEX(index.dim() <= 1, op, ": index must have at most one dimension, got sizes ", index.sizes());
    REEL_CHECK(source.scalar_type() == input.scalar_type(), op, ": source must have the dtype of input, got ",
               toString(source.scalar_type()), " and ", toString(input.scalar_type()));
    REEL_CHECK(std::max<std::int64_t>(source.dim(), 1) == std::max<std::int64_t>(input.dim(), 1), op,
               ": source of sizes ", source.sizes(), " must have as many dimensions as input ", input.sizes());
    REEL_CHECK_INDEX(extent(source, d) == index.numel(), op, ": index has ", index.numel(),
                     " elements, source has size ", extent(source, d), " in dimension ", d);
    for (std::int64_t k = 0; k < input.dim(); ++k)
        REEL_CHECK(k == d || input.sizes()[std::size_t(k)] == extent(source, k), op, ": source of sizes ",
                   source.sizes(), " does not match input ", input.sizes(), " outside of dimension ", d);
    return checked_index(op, index, extent(input, d));
}

void slice_scatter_raw(ScatterMode mode, const Tensor& out, std::int64_t d, const Tensor& at, const Tensor& source) {
    const Tensor s = at_least_1d_raw(source);
    scatter_raw(mode, out, d, expand_index(at, s.sizes(), d), s);
}
} // namespace

/// A copy of `input` with `src` (or a number) written at `index` along `dim`; `reduce` adds or multiplies instead, then
/// without gradient.
REEL_OP("scatter(Tensor input, int dim, Tensor index, Tensor src) -> Tensor", rule, method, out_exact, inplace)
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& src) {
    const std::int64_t d = wrap_dim("scatter", dim, input.dim());
    const Tensor at = scatter_index("scatter", input, d, index, src);
    const Tensor out = copy_of(input);
    scatter_raw(ScatterMode::Assign, out, d, at, src);
    record("scatter", {input, src}, out, {at}, [d, sizes = Dims(src.sizes())](RuleContext& c) -> GradList {
        GradList g(2);
        const Tensor i = c.saved(0);
        if (c.needs(0)) g[0] = c.grad().scatter(d, i, Scalar(0));
        if (c.needs(1)) {
            g[1] = widened(c.grad().gather(d, i), sizes);
        }
        return g;
    });
    return out;
}
REEL_OP("scatter(Tensor input, int dim, Tensor index, Scalar value) -> Tensor", rule, method, out_exact, inplace)
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Scalar& value) {
    const std::int64_t d = wrap_dim("scatter", dim, input.dim());
    const Tensor at = scatter_index("scatter", input, d, index, {});
    const Tensor out = scatter_value("scatter", input, d, at, value, ScatterMode::Assign);
    record("scatter", {input}, out, {at},
           [d](RuleContext& c) -> GradList { return {c.grad().scatter(d, c.saved(0), Scalar(0))}; });
    return out;
}
REEL_OP("scatter(Tensor input, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", not_differentiable, method,
        out_exact, inplace)
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce) {
    const ScatterMode mode = simple_mode(reduce);
    const std::int64_t d = wrap_dim("scatter", dim, input.dim());
    const Tensor at = scatter_index("scatter", input, d, index, src);
    REEL_CHECK_NOT_IMPLEMENTED(!needs_recording(input, src), "scatter: reduce='", reduce,
                               "' has no gradient; use scatter_reduce");
    const Tensor out = copy_of(input);
    scatter_raw(mode, out, d, at, src);
    return out;
}
REEL_OP("scatter(Tensor input, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", not_differentiable,
        method, out_exact, inplace)
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Scalar& value,
               std::string_view reduce) {
    const ScatterMode mode = simple_mode(reduce);
    REEL_CHECK_NOT_IMPLEMENTED(!needs_recording(input), "scatter: reduce='", reduce,
                               "' has no gradient; use scatter_reduce");
    return scatter_value("scatter", input, dim, index, value, mode);
}

/// A copy of `input` with `src` added at `index` along `dim`.
REEL_OP("scatter_add(Tensor input, int dim, Tensor index, Tensor src) -> Tensor", rule, method, out_exact, inplace)
Tensor scatter_add(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& src) {
    const std::int64_t d = wrap_dim("scatter_add", dim, input.dim());
    const Tensor at = scatter_index("scatter_add", input, d, index, src);
    const Tensor out = copy_of(input);
    scatter_raw(ScatterMode::Add, out, d, at, src);
    record("scatter_add", {input, src}, out, {at}, [d, sizes = Dims(src.sizes())](RuleContext& c) -> GradList {
        GradList g(2);
        if (c.needs(0)) g[0] = c.grad();
        if (c.needs(1)) {
            g[1] = widened(c.grad().gather(d, c.saved(0)), sizes);
        }
        return g;
    });
    return out;
}

/// A copy of `input` with `alpha * source` added to the slices of `dim` that `index` names.
REEL_OP("index_add(Tensor input, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", rule, method,
        out_exact, inplace)
Tensor index_add(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
    const std::int64_t d = wrap_dim("index_add", dim, input.dim());
    const Tensor at = slice_index("index_add", input, d, index, source);
    const Tensor out = copy_of(input);
    REEL_CHECK(input.is_complex() || !alpha.isComplex(), "index_add: alpha ", alpha, " is complex, input is ",
               toString(input.scalar_type()), "; expected a real number");
    Tensor scaled = source;
    if (!(alpha.isBoolean() ? alpha.toBool() : alpha.equal(1.0))) {
        const NoGradGuard off;
        scaled = source.mul(filled(input, alpha, {})); // the factor counts in the dtype of both
    }
    slice_scatter_raw(ScatterMode::Add, out, d, at, scaled);
    record("index_add", {input, source}, out, {at}, [d, alpha](RuleContext& c) -> GradList {
        GradList g(2);
        if (c.needs(0)) g[0] = c.grad();
        if (c.needs(1)) {
            g[1] = c.grad().index_select(d, c.saved(0));
            if (!alpha.equal(1.0)) g[1] = g[1].mul(alpha);
        }
        return g;
    });
    return out;
}

/// A copy of `input` with `source` written into the slices of `dim` that `index` names.
REEL_OP("index_copy(Tensor input, int dim, Tensor index, Tensor source) -> Tensor", rule, method, out_exact, inplace)
Tensor index_copy(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source) {
    const std::int64_t d = wrap_dim("index_copy", dim, input.dim());
    const Tensor at = slice_index("index_copy", input, d, index, source);
    const Tensor out = copy_of(input);
    slice_scatter_raw(ScatterMode::Assign, out, d, at, source);
    record("index_copy", {input, source}, out, {at}, [d](RuleContext& c) -> GradList {
        GradList g(2);
        const Tensor i = c.saved(0);
        if (c.needs(0)) g[0] = c.grad().index_fill(d, i, Scalar(0));
        if (c.needs(1)) g[1] = c.grad().index_select(d, i);
        return g;
    });
    return out;
}

namespace {
Tensor index_fill_raw(const Tensor& input, std::int64_t d, const Tensor& at, const Tensor& value) {
    const Tensor out = copy_of(input);
    Dims sizes(at_least_1d_raw(input).sizes());
    sizes[std::size_t(d)] = at.numel();
    scatter_raw(ScatterMode::Assign, out, d, expand_index(at, sizes, d), expand_raw(value, sizes));
    return out;
}
Tensor fill_index(const Tensor& input, std::int64_t d, const Tensor& index) {
    REEL_CHECK_INDEX(index.dim() <= 1, "index_fill: index must have at most one dimension, got sizes ", index.sizes());
    REEL_CHECK_INDEX(index.scalar_type() == kLong, "index_fill: index must be int64, got ",
                     toString(index.scalar_type()));
    return checked_index("index_fill", index, extent(input, d), true);
}
} // namespace

/// A copy of `input` whose slices of `dim` named by `index` hold `value` (a number or a 0-dim tensor).
REEL_OP("index_fill(Tensor input, int dim, Tensor index, Tensor value) -> Tensor", rule, method, inplace)
Tensor index_fill(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& value) {
    REEL_CHECK(value.dim() == 0, "index_fill: value must be a number or a 0-dim tensor, got sizes ", value.sizes());
    const std::int64_t d = wrap_dim("index_fill", dim, input.dim());
    const Tensor at = fill_index(input, d, index);
    REEL_CHECK(input.is_complex() || !value.is_complex(), "index_fill: a complex value does not fit into ",
               toString(input.scalar_type()));
    Tensor same = empty_raw({}, input);
    assign_raw(same, value);
    const Tensor out = index_fill_raw(input, d, at, same);
    record("index_fill", {input, value}, out, {at}, [d, kind = value.is_complex()](RuleContext& c) -> GradList {
        GradList g(2);
        const Tensor i = c.saved(0);
        if (c.needs(0)) g[0] = c.grad().index_fill(d, i, Scalar(0));
        if (c.needs(1)) { // every slice counts once, however often it is named
            const Tensor named = zeros_raw({extent(c.grad(), d)}, i).index_fill(0, i, Scalar(1));
            g[1] = pointwise::fit_gradient(c.grad().index_select(d, nonzero(named).select(1, 0)).sum(), kind);
        }
        return g;
    });
    return out;
}
REEL_OP("index_fill(Tensor input, int dim, Tensor index, Scalar value) -> Tensor", rule, method, inplace)
Tensor index_fill(const Tensor& input, std::int64_t dim, const Tensor& index, const Scalar& value) {
    const std::int64_t d = wrap_dim("index_fill", dim, input.dim());
    const Tensor at = fill_index(input, d, index);
    REEL_CHECK(input.is_complex() || !value.isComplex(), "index_fill: a complex value does not fit into ",
               toString(input.scalar_type()));
    reel::detail::check_holds("index_fill", input.scalar_type(), value);
    const Tensor out = index_fill_raw(input, d, at, filled(input, value, {}));
    record("index_fill", {input}, out, {at},
           [d](RuleContext& c) -> GradList { return {c.grad().index_fill(d, c.saved(0), Scalar(0))}; });
    return out;
}

/// A copy of `input` with `source` written to, or added at, positions in the flattened tensor.
REEL_OP("put(Tensor input, Tensor index, Tensor source, bool accumulate=False) -> Tensor", composite, method, inplace)
Tensor put(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate) {
    REEL_CHECK_TYPE(index.scalar_type() == kLong, "put: index must be int64, got ", toString(index.scalar_type()));
    REEL_CHECK(index.numel() == source.numel(), "put: index of sizes ", index.sizes(), " and source of sizes ",
               source.sizes(), " must have the same number of elements");
    REEL_CHECK(source.scalar_type() == input.scalar_type(), "put: source must have the dtype of input, got ",
               toString(source.scalar_type()), " and ", toString(input.scalar_type()));
    REEL_CHECK_INDEX(input.numel() > 0 || index.numel() == 0, "put: nothing to write to in a tensor of sizes ",
                     input.sizes());
    const Tensor at = contiguous_raw(checked_index("put", index, input.numel(), true));
    const Tensor flat = alias_raw(at, {at.numel()}, {1}, at.storage_offset());
    const Tensor self = input.reshape({-1}), from = source.reshape({-1});
    return (accumulate ? index_add(self, 0, flat, from) : index_copy(self, 0, flat, from)).reshape(input.sizes());
}

} // namespace reel
