// Sums, products, means, truth over dimensions.
#include <reel/autograd/kernels/prod_of_columns.hpp>
#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/kernels/sum.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/pointwise/clamp.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>

#include "ops/reduce/reduction.hpp"
#include "ops/reduce/scan.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

/// Sum over `dim` (all dimensions when absent or empty). Integers sum in int64.  gx = g, spread
REEL_OP("sum(Tensor input, *, Dtype? dtype=None) -> Tensor", composite, method)
Tensor sum(const Tensor& input, std::optional<ScalarType> dtype) { return sum(input, std::nullopt, false, dtype); }
REEL_OP("sum(Tensor input, int[]? dim, bool keepdim=False, *, Dtype? dtype=None) -> Tensor", rule, method, out)
Tensor sum(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
    const Dims dims = reduced_dims("sum", input, dim);
    const ScalarType t = sum_type("sum", input, dtype);
    const bool of_values = input.is_sparse() && !dim;
    Tensor out = of_values ? sum_raw(input._values(), reduced_dims("sum", input._values(), dim), keepdim, t)
                           : sum_raw(input, dims, keepdim, t);
    const Dims shape(input.sizes());
    record("sum", {input}, out, {},
           [shape, dims, keepdim](RuleContext& c) -> GradList { return {spread(c.grad(), shape, dims, keepdim)}; });
    return out;
}
/// Arithmetic mean over `dim` (all when absent or empty); floating and complex.  gx = g / n, spread
REEL_OP("mean(Tensor input, *, Dtype? dtype=None) -> Tensor", composite, method, out)
Tensor mean(const Tensor& input, std::optional<ScalarType> dtype) { return mean(input, std::nullopt, false, dtype); }
REEL_OP("mean(Tensor input, int[]? dim, bool keepdim=False, *, Dtype? dtype=None) -> Tensor", composite, method, out)
Tensor mean(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
    const ScalarType t = dtype.value_or(input.scalar_type());
    REEL_CHECK(isDifferentiableType(t), "mean: input is ", dtype_name(t),
               "; expected a floating or complex dtype. Pass dtype=kFloat");
    const Dims dims = reduced_dims("mean", input, dim);
    const std::int64_t n = reduced_count(input, dims);
    // 16-bit sums are divided in float32 and rounded once.
    const ScalarType wide = wide_type(t);
    const Tensor s = wide == input.scalar_type() ? sum(input, IntArrayRef(dims), keepdim)
                                                 : sum(input, IntArrayRef(dims), keepdim, wide);
    const Tensor m = s / double(n);
    return wide == t ? m : m.to(t);
}
namespace {
/// The sum that takes NaN for zero by a kernel that does so on the way; undefined where there is none, or where
/// derivatives need the operand with zeros in it.
Tensor sum_of_numbers(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
    const ScalarType t = input.scalar_type();
    if (!kernels::sum_of_numbers.has(input.device().type()) || input.is_sparse() || input.numel() == 0 ||
        dtype.value_or(t) != t || needs_recording(input))
        return {};
    Dims dims = reduced_dims("nansum", input, dim);
    const Tensor out = empty_raw(reduced_sizes(input, dims, keepdim), t, input.device());
    const Tensor operand = in_memory_order(input, dims);
    const SummedColumns c(operand, dims);
    const bool columns = c.cols >= 16 && operand.is_contiguous(); // as `sum_raw` goes
    if (columns && (c.again || wide_type(t) != t)) return {};
    const std::int64_t each = operand.numel() / out.numel();
    std::int64_t inner = each;
    kernels::sum_of_numbers(out, columns ? operand : rows_last(operand, dims, inner), each, columns ? c.cols : 0);
    needs_recording_of("nansum", out, input); // tells observers, as a pointwise rule does
    return out;
}
} // namespace

/// Sum that takes NaN for zero.  gx = g where input is a number
REEL_OP("nansum(Tensor input, int[]? dim=None, bool keepdim=False, *, Dtype? dtype=None) -> Tensor", rule, method, out)
Tensor nansum(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
    REEL_CHECK(!input.is_complex(), "nansum: input is ", dtype_name(input.scalar_type()),
               "; complex numbers are not supported");
    if (!input.is_floating_point()) return sum(input, dim, keepdim, dtype);
    sum_type("nansum", input, dtype); // refuses what `sum` below would refuse under its own name
    if (const Tensor s = sum_of_numbers(input, dim, keepdim, dtype); s.defined()) return s;
    return sum(pointwise::apply("nansum", pointwise::nan_to_zero_op{}, input), dim, keepdim, dtype);
}
/// Mean of the elements that are numbers; NaN for none.
REEL_OP("nanmean(Tensor input, int[]? dim=None, bool keepdim=False, *, Dtype? dtype=None) -> Tensor", composite, method,
        out)
Tensor nanmean(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
    REEL_CHECK(input.is_floating_point(), "nanmean: input is ", dtype_name(input.scalar_type()),
               "; expected a floating dtype");
    const ScalarType t = dtype.value_or(input.scalar_type()), wide = wide_type(t);
    REEL_CHECK(isDifferentiableType(t), "nanmean: dtype is ", dtype_name(t), "; expected a floating or complex dtype");
    const Tensor count = sum(logical_not(isnan(input.detach())), dim, keepdim);
    const Tensor m = nansum(input, dim, keepdim, wide) / count;
    return wide == t ? m : m.to(t);
}
/// Sums broadcast dims away until the shape is `size`.
REEL_OP("sum_to_size(Tensor input, int[] size) -> Tensor", composite, method)
Tensor sum_to_size(const Tensor& input, IntArrayRef size) {
    if (size.empty()) return sum(input);
    if (input.sizes().equals(size)) return input;
    const std::int64_t extra = input.dim() - std::int64_t(size.size());
    REEL_CHECK(extra >= 0, "sum_to_size: size ", size, " has more dimensions than input ", input.sizes());
    Dims dims;
    for (std::int64_t i = 0; i < input.dim(); ++i) {
        if (i < extra) {
            dims.push_back(i);
            continue;
        }
        const std::int64_t want = size[std::size_t(i - extra)];
        REEL_CHECK(want == input.size(i) || want == 1, "sum_to_size: size ", size, " does not broadcast to input ",
                   input.sizes());
        if (want == 1 && input.size(i) != 1) dims.push_back(i);
    }
    Tensor r = dims.empty() ? input : sum(input, IntArrayRef(dims), true);
    return extra > 0 ? reshape(r, size) : r;
}

namespace reduction {
// Products from the left times products from the right.
Tensor product_of_others(const Tensor& x, std::int64_t dim) {
    Dims one(x.sizes());
    one[std::size_t(dim)] = 1;
    const Tensor unit = ones(one, x.options());
    const std::int64_t n = x.size(dim);
    const Tensor left = cumprod(cat({unit, narrow(x, dim, 0, n - 1)}, dim), dim);
    const Tensor right = reverse(cumprod(cat({unit, narrow(reverse(x, dim), dim, 0, n - 1)}, dim), dim), dim);
    return left * right;
}
} // namespace reduction

namespace {

/// Product of each line along the last dim of a dense [..., n].
Tensor prod_raw(const Tensor& input, const Dims& dims, bool keepdim, ScalarType t) {
    Tensor out = empty_raw(reduced_sizes(input, dims, keepdim), t, input.device());
    Dims order = dims;
    const Tensor operand = in_memory_order(cast_raw(input, t), order);
    if (kernels::prod_of_columns.has(input.device().type()) && t != kBool && !isComplexType(t) && out.numel() >= 16 &&
        reduces_columns(operand, order)) {
        kernels::prod_of_columns(out, operand, operand.numel() / out.numel());
        return out;
    }
    std::int64_t inner = 1;
    const Tensor rows = rows_last(operand, order, inner);
    kernels::prod(out, rows, inner);
    return out;
}
bool any_zero(const Tensor& t) { return t.numel() > 0 && has_values(t) && any(t == Scalar(0)).item().toBool(); }
GradList prod_rule(RuleContext& c, const Dims& dims, bool keepdim, bool whole) {
    const Tensor x = c.saved(0), y = c.saved(1);
    const Dims shape(x.sizes());
    if (x.dim() == 0) return {c.grad()};
    if (x.numel() == 0) return {c.grad().new_zeros(shape)};
    if (!any_zero(x)) {
        const Tensor g = keep_dims(c.grad() * conj(y), shape, dims, keepdim);
        return {g / conj(x)};
    }
    const Tensor g = keep_dims(c.grad(), shape, dims, keepdim);
    const Tensor flat = whole ? reshape(x, {x.numel()}) : x;
    return {g * conj(reshape(product_of_others(flat, whole ? 0 : dims[0]), shape))};
}
Tensor prod_of(const Tensor& input, const Dims& dims, bool keepdim, bool whole, std::optional<ScalarType> dtype) {
    const ScalarType t = sum_type("prod", input, dtype);
    const Tensor x = input.scalar_type() == t ? input : input.to(t);
    Tensor out = prod_raw(x, dims, keepdim, t);
    record("prod", {x}, out, {x, out},
           [dims, keepdim, whole](RuleContext& c) { return prod_rule(c, dims, keepdim, whole); });
    return out;
}

} // namespace

/// Product of all elements, or along `dim`. Integers multiply in int64.  gx = g times the product of the others
REEL_OP("prod(Tensor input, *, Dtype? dtype=None) -> Tensor", rule, method)
Tensor prod(const Tensor& input, std::optional<ScalarType> dtype) {
    return prod_of(input, all_dims(input), false, true, dtype);
}
REEL_OP("prod(Tensor input, int dim, bool keepdim=False, *, Dtype? dtype=None) -> Tensor", rule, method, out)
Tensor prod(const Tensor& input, std::int64_t dim, bool keepdim, std::optional<ScalarType> dtype) {
    return prod_of(input, {wrap_dim("prod", dim, input.dim())}, keepdim, false, dtype);
}

namespace {
/// `All`: does every element hold; otherwise: does any.
template <bool All> Tensor truth(const Tensor& input, const Dims& dims, bool keepdim) {
    std::int64_t inner = 1;
    const Tensor rows = rows_in_any_order(cast_raw(input, kBool), dims, inner);
    Tensor out =
        empty_raw(reduced_sizes(input, dims, keepdim), input.scalar_type() == kByte ? kByte : kBool, input.device());
    All ? kernels::all(out, rows, inner) : kernels::any(out, rows, inner);
    return out;
}
/// An empty list of dims reduces nothing.
Dims named_dims(const char* op, const Tensor& t, OptionalIntArrayRef dim) {
    return dim ? wrap_dims(op, *dim, t.dim()) : all_dims(t);
}
} // namespace

/// Does any element differ from zero, over `dim` (all when absent)? uint8 answers in uint8.
REEL_OP("any(Tensor input) -> Tensor", not_differentiable, method, out)
Tensor any(const Tensor& input) { return truth<false>(input, all_dims(input), false); }
REEL_OP("any(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor", not_differentiable, method, out,
        explicit("dim"))
Tensor any(const Tensor& input, OptionalIntArrayRef dim, bool keepdim) {
    return truth<false>(input, named_dims("any", input, dim), keepdim);
}
/// Do all elements differ from zero, over `dim` (all when absent)? uint8 answers in uint8.
REEL_OP("all(Tensor input) -> Tensor", not_differentiable, method, out)
Tensor all(const Tensor& input) { return truth<true>(input, all_dims(input), false); }
REEL_OP("all(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor", not_differentiable, method, out,
        explicit("dim"))
Tensor all(const Tensor& input, OptionalIntArrayRef dim, bool keepdim) {
    return truth<true>(input, named_dims("all", input, dim), keepdim);
}
/// How many elements differ from zero, over `dim` (all when absent or empty); int64.
REEL_OP("count_nonzero(Tensor input, int[]? dim=None) -> Tensor", not_differentiable, method)
Tensor count_nonzero(const Tensor& input, OptionalIntArrayRef dim) {
    const Dims dims = reduced_dims("count_nonzero", input, dim);
    std::int64_t inner = 1;
    const Tensor rows = rows_in_any_order(cast_raw(input, kBool), dims, inner);
    Tensor out = empty_raw(reduced_sizes(input, dims, false), kLong, input.device());
    kernels::count_nonzero(out, rows, inner);
    return out;
}

} // namespace reel
