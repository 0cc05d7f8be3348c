// Sums, means, extrema.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <limits>
#include <numeric>

#include "cpu/sum.hpp"
#include "tensor/make.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// Dims to reduce: all when none are named.
Dims reduced_dims(const char* op, const Tensor& t, OptionalIntArrayRef dim) {
    if (dim && !(*dim).empty()) return wrap_dims(op, *dim, t.dim());
    Dims all(std::size_t(t.dim()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}
bool contains(const Dims& d, std::int64_t i) { return std::find(d.begin(), d.end(), i) != d.end(); }
Dims reduced_sizes(const Tensor& t, const Dims& dims, bool keepdim) {
    Dims s;
    for (std::int64_t i = 0; i < t.dim(); ++i)
        if (!contains(dims, i)) s.push_back(t.size(i));
        else if (keepdim) s.push_back(1);
    return s;
}
/// The operand as [kept..., reduced...], row-major, so that each result reads one dense row.
Tensor rows_last(const Tensor& t, const Dims& dims, std::int64_t& inner) {
    Dims order;
    inner = 1;
    for (std::int64_t i = 0; i < t.dim(); ++i)
        if (!contains(dims, i)) order.push_back(i);
    for (const std::int64_t i : dims)
        if (t.dim() > 0) order.push_back(i), inner *= t.size(i);
    Dims s, st;
    for (const std::int64_t i : order) s.push_back(t.sizes()[std::size_t(i)]), st.push_back(t.strides()[std::size_t(i)]);
    return contiguous_raw(alias_raw(t, s, st, t.storage_offset()));
}
/// Puts reduced dims back with size one, then expands to the operand's shape.
Tensor spread(const Tensor& g, const Dims& shape, const Dims& dims, bool keepdim) {
    Dims one(shape);
    if (shape.empty()) return g;
    for (const std::int64_t d : dims) one[std::size_t(d)] = 1;
    return reel::expand(keepdim ? g : reel::reshape(g, one), shape);
}

template <class T, class F> void rowwise(const Tensor& rows, std::int64_t inner, const Tensor& out, F f) {
    const std::int64_t n = out.numel();
    const T* in = rows.data_ptr<T>();
    auto* o = static_cast<std::invoke_result_t<F, const T*, std::int64_t>*>(out.data_ptr());
    parallel_for(0, n, std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(inner, 1)), [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i) o[i] = f(in + i * inner, inner);
    });
}

Tensor sum_raw(const Tensor& input, const Dims& dims, bool keepdim, ScalarType out_type) {
    const ScalarType compute = out_type;
    Tensor out = empty_raw(reduced_sizes(input, dims, keepdim), out_type, input.device());
    if (input.is_contiguous() && input.scalar_type() == compute && input.dim() == 2 && dims.size() == 1 && dims[0] == 0 &&
        (compute == kFloat || compute == kDouble) && input.numel() > 0) {
        cpu::sum_columns(compute, input.data_ptr(), input.size(0), input.size(1), out.data_ptr());
        return out;
    }
    std::int64_t inner = 1;
    const Tensor rows = rows_last(cast_raw(input, compute), dims, inner);
    cpu::sum_rows(compute, rows.data_ptr(), out.numel(), inner, out.data_ptr());
    return out;
}

} // namespace

REEL_OP("sum(Tensor input, *, Dtype? dtype=None) -> Tensor", method)
Tensor sum(const Tensor& input, std::optional<ScalarType> dtype) { return sum(input, std::nullopt, false, dtype); }
REEL_OP("sum(Tensor input, int[]? dim, bool keepdim=False, *, Dtype? dtype=None) -> Tensor", method)
Tensor sum(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
    const Dims dims = reduced_dims("sum", input, dim);
    const ScalarType t = dtype.value_or(isIntegralType(input.scalar_type(), true) ? kLong : input.scalar_type());
    Tensor out = sum_raw(input, dims, keepdim, t);
    const Dims shape(input.sizes());
    record("sum", {input}, out, {}, [shape, dims, keepdim](RuleContext& c) -> GradList { return {spread(c.grad(), shape, dims, keepdim)}; });
    return out;
}
REEL_OP("mean(Tensor input, *, Dtype? dtype=None) -> Tensor", method)
Tensor mean(const Tensor& input, std::optional<ScalarType> dtype) { return mean(input, std::nullopt, false, dtype); }
REEL_OP("mean(Tensor input, int[]? dim, bool keepdim=False, *, Dtype? dtype=None) -> Tensor", method)
Tensor mean(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
    const ScalarType t = dtype.value_or(input.scalar_type());
    REEL_CHECK(isDifferentiableType(t), "mean: input is ", dtype_name(t), "; expected a floating or complex dtype. Pass dtype=kFloat");
    const Dims dims = reduced_dims("mean", input, dim);
    std::int64_t n = 1;
    for (const std::int64_t d : dims)
        if (input.dim() > 0) n *= input.size(d);
    // 16-bit sums are divided in float32 and rounded once.
    const ScalarType wide = t == kHalf || t == kBFloat16 ? kFloat : t;
    const Tensor s = wide == input.scalar_type() ? sum(input, IntArrayRef(dims), keepdim) : sum(input, IntArrayRef(dims), keepdim, wide);
    const Tensor m = s / double(n);
    return wide == t ? m : m.to(t);
}
/// Sums broadcast dims away until the shape is `size`.
REEL_OP("sum_to_size(Tensor input, int[] size) -> Tensor", method)
Tensor sum_to_size(const Tensor& input, IntArrayRef size) {
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
        REEL_CHECK(want == input.size(i) || want == 1, "sum_to_size: size ", size, " does not broadcast to input ", input.sizes());
        if (want == 1 && input.size(i) != 1) dims.push_back(i);
    }
    Tensor r = dims.empty() ? input : sum(input, IntArrayRef(dims), true, input.scalar_type());
    return extra > 0 ? reshape(r, size) : r;
}

namespace {
template <bool Max, class T> std::int64_t best_index(const T* p, std::int64_t n) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < n; ++i) {
        if (p[best] != p[best]) break; // the first NaN wins
        if (p[i] != p[i] || (Max ? p[i] > p[best] : p[i] < p[best])) best = i;
    }
    return best;
}
template <bool Max> Tensor arg_rows(const char* op, const Tensor& input, const Dims& dims, bool keepdim) {
    std::int64_t inner = 1;
    const ScalarType t = input.scalar_type();
    REEL_CHECK_NOT_IMPLEMENTED(!isComplexType(t), op, ": input: complex numbers have no order");
    const Tensor wide = t == kHalf || t == kBFloat16 ? cast_raw(input, kFloat) : t == kBool ? cast_raw(input, kByte) : input;
    const Tensor rows = rows_last(wide, dims, inner);
    Tensor out = empty_raw(reduced_sizes(input, dims, keepdim), kLong);
    REEL_CHECK_INDEX(inner > 0 || out.numel() == 0, op, ": the reduced dimension of input ", input.sizes(), " is empty; an index needs at least one element");
    switch (wide.scalar_type()) {
#define REEL_CASE(T)                                                                                                   \
    case dtype_of<T>: rowwise<T>(rows, inner, out, [](const T* p, std::int64_t n) { return best_index<Max>(p, n); }); break;
        REEL_CASE(float)
        REEL_CASE(double)
        REEL_CASE(std::uint8_t)
        REEL_CASE(std::int8_t)
        REEL_CASE(std::int16_t)
        REEL_CASE(std::int32_t)
        REEL_CASE(std::int64_t)
#undef REEL_CASE
    default: break;
    }
    return out;
}
} // namespace

REEL_OP("argmax(Tensor input, int? dim=None, bool keepdim=False) -> Tensor", method, not_differentiable)
Tensor argmax(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim) {
    const Dims dims = dim ? Dims{wrap_dim("argmax", *dim, input.dim())} : reduced_dims("argmax", input, std::nullopt);
    return arg_rows<true>("argmax", input, dims, keepdim);
}
REEL_OP("argmin(Tensor input, int? dim=None, bool keepdim=False) -> Tensor", method, not_differentiable)
Tensor argmin(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim) {
    const Dims dims = dim ? Dims{wrap_dim("argmin", *dim, input.dim())} : reduced_dims("argmin", input, std::nullopt);
    return arg_rows<false>("argmin", input, dims, keepdim);
}
REEL_OP("any(Tensor input) -> Tensor", method, not_differentiable)
Tensor any(const Tensor& input) {
    const Tensor b = contiguous_raw(cast_raw(input, kBool));
    Tensor out = empty_raw({}, input.scalar_type() == kByte ? kByte : kBool);
    const bool* p = b.data_ptr<bool>();
    fill_raw(out, std::find(p, p + b.numel(), true) != p + b.numel());
    return out;
}
REEL_OP("all(Tensor input) -> Tensor", method, not_differentiable)
Tensor all(const Tensor& input) {
    const Tensor b = contiguous_raw(cast_raw(input, kBool));
    Tensor out = empty_raw({}, input.scalar_type() == kByte ? kByte : kBool);
    const bool* p = b.data_ptr<bool>();
    fill_raw(out, std::find(p, p + b.numel(), false) == p + b.numel());
    return out;
}

} // namespace reel
