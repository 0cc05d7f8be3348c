// The parts of reductions that do not depend on the op.
#include "ops/reduce/reduction.hpp"

#include <reel/autograd/kernels/sum.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include <numeric>

namespace reel::reduction {

ScalarType sum_type(const char* op, const Tensor& input, std::optional<ScalarType> asked) {
    if (!asked) return isIntegralType(input.scalar_type(), true) ? kLong : input.scalar_type();
    REEL_CHECK(isDifferentiableType(*asked) || !autograd::needs_recording(input), op, ": dtype is ", dtype_name(*asked),
               ", and input requires a gradient, which ends in integers. Pass a floating dtype, or input.detach()");
    return *asked;
}
Dims all_dims(const Tensor& t) {
    Dims all(std::size_t(t.dim()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}
Dims reduced_dims(const char* op, const Tensor& t, OptionalIntArrayRef dim) {
    return dim && !(*dim).empty() ? wrap_dims(op, *dim, t.dim()) : all_dims(t);
}
bool contains(const Dims& dims, std::int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }
Dims reduced_sizes(const Tensor& t, const Dims& dims, bool keepdim) {
    Dims s;
    for (std::int64_t i = 0; i < t.dim(); ++i)
        if (!contains(dims, i)) s.push_back(t.size(i));
        else if (keepdim) s.push_back(1);
    return s;
}
std::int64_t reduced_count(const Tensor& t, const Dims& dims) {
    std::int64_t n = 1;
    if (t.dim() > 0)
        for (const std::int64_t d : dims) n *= t.size(d);
    return n;
}
Tensor rows_last(const Tensor& t, const Dims& dims, std::int64_t& inner) {
    Dims order;
    for (std::int64_t i = 0; i < t.dim(); ++i)
        if (!contains(dims, i)) order.push_back(i);
    // Reduced dims in ascending order, so that positions within a row are those of the operand.
    if (t.dim() > 0)
        for (std::int64_t i = 0; i < t.dim(); ++i)
            if (contains(dims, i)) order.push_back(i);
    inner = reduced_count(t, dims);
    Dims s, st;
    for (const std::int64_t i : order) {
        s.push_back(t.sizes()[std::size_t(i)]);
        st.push_back(t.strides()[std::size_t(i)]);
    }
    return contiguous_raw(alias_raw(t, s, st, t.storage_offset()));
}
Tensor in_memory_order(const Tensor& t, Dims& dims) {
    if (t.is_contiguous() || t.dim() < 2 || !t.is_non_overlapping_and_dense()) return t;
    Dims order = all_dims(t);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return t.strides()[std::size_t(a)] > t.strides()[std::size_t(b)];
    });
    Dims s, st, reduced;
    std::int64_t last_kept = -1;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int64_t d = order[i];
        s.push_back(t.sizes()[std::size_t(d)]);
        st.push_back(t.strides()[std::size_t(d)]);
        if (contains(dims, d)) reduced.push_back(std::int64_t(i));
        else if (d < last_kept) return t; // what stays would come out in another order
        else last_kept = d;
    }
    dims = reduced;
    return alias_raw(t, s, st, t.storage_offset());
}
Tensor rows_in_any_order(const Tensor& t, const Dims& dims, std::int64_t& inner) {
    Dims order = dims;
    const Tensor operand = in_memory_order(t, order);
    return rows_last(operand, order, inner);
}
bool reduces_columns(const Tensor& t, const Dims& dims) {
    bool leading = t.is_contiguous() && std::int64_t(dims.size()) < t.dim() && !dims.empty();
    for (std::size_t d = 0; leading && d < dims.size(); ++d) leading = contains(dims, std::int64_t(d));
    return leading;
}
Tensor keep_dims(const Tensor& g, const Dims& shape, const Dims& dims, bool keepdim) {
    if (keepdim || shape.empty()) return g;
    Dims one(shape);
    for (const std::int64_t d : dims) one[std::size_t(d)] = 1;
    return reel::reshape(g, one);
}
Tensor spread(const Tensor& g, const Dims& shape, const Dims& dims, bool keepdim) {
    if (shape.empty()) return g;
    return reel::expand(keep_dims(g, shape, dims, keepdim), shape);
}
Tensor scatter_back(const Tensor& g, const Tensor& index, const Dims& shape, std::int64_t dim, bool keepdim) {
    if (shape.empty()) return g;
    const Tensor zeros = g.new_zeros(shape);
    if (keepdim) return reel::scatter(zeros, dim, index, g);
    return reel::scatter(zeros, dim, reel::unsqueeze(index, dim), reel::unsqueeze(g, dim));
}
Tensor share(const Tensor& g, const Tensor& mask, const Dims& dims) {
    const Tensor m = mask.to(g.scalar_type());
    return g * (m / reel::sum(m, IntArrayRef(dims), true));
}
void require_rows(const char* op, const Tensor& input, const Dims& dims) {
    if (input.dim() == 0) return;
    for (const std::int64_t d : dims)
        REEL_CHECK_INDEX(input.size(d) > 0, op, ": dimension ", d, " of input ", input.sizes(),
                         " is empty; an extremum needs at least one element");
}
SummedColumns::SummedColumns(const Tensor& t, const Dims& dims) : lead(t.sizes().size()) {
    const auto before = [&] { return std::int64_t(lead) - 1; };
    const auto size = [&] { return t.sizes()[lead - 1]; };
    for (; lead > 0 && !contains(dims, before()); --lead) cols *= size();
    for (; lead > 0 && (contains(dims, before()) || size() == 1); --lead) rows *= size();
    for (std::size_t d = 0; d < lead; ++d) again = again || contains(dims, std::int64_t(d));
}
Tensor sum_raw(const Tensor& input, const Dims& dims, bool keepdim, ScalarType out_type) {
    const Dims sizes = reduced_sizes(input, dims, keepdim);
    Dims order = dims;
    const Tensor operand = in_memory_order(input, order);
    // Columns of a dense tensor, at least a vector of them, without turning it around.
    if (kernels::sum_columns.has(input.device().type()) && operand.scalar_type() == out_type &&
        isFloatingType(out_type) && operand.numel() > 0 && operand.is_contiguous()) {
        const SummedColumns c(operand, order);
        if (c.cols >= 16 && (!c.again || wide_type(out_type) == out_type)) { // narrow sums are rounded once
            Dims first(sizes), rest;
            if (c.again) {
                first.assign(operand.sizes().begin(), operand.sizes().begin() + std::ptrdiff_t(c.lead));
                first.push_back(c.cols);
            }
            const Tensor out = empty_raw(first, out_type, input.device());
            kernels::sum_columns(out, operand, c.rows, c.cols);
            if (!c.again) return out;
            for (const std::int64_t d : order)
                if (d < std::int64_t(c.lead)) rest.push_back(d);
            return alias_raw(sum_raw(out, rest, false, out_type), sizes, contiguous_strides(sizes), 0);
        }
    }
    Tensor out = empty_raw(sizes, out_type, input.device());
    std::int64_t inner = 1;
    const Tensor rows = rows_last(cast_raw(operand, out_type), order, inner);
    kernels::sum_rows(out, rows, inner);
    return out;
}

Lines::Lines(const Tensor& t, std::int64_t d) : sizes(t.sizes()), dim(d) {
    Dims s(t.sizes()), st(t.strides());
    if (s.empty()) {
        s.push_back(1);
        st.push_back(1);
    }
    n = s[std::size_t(d)];
    s.erase(s.begin() + d);
    s.push_back(n);
    const std::int64_t step = st[std::size_t(d)];
    st.erase(st.begin() + d);
    st.push_back(step);
    count = 1;
    for (std::size_t i = 0; i + 1 < s.size(); ++i) count *= s[i];
    rows = contiguous_raw(alias_raw(t, s, st, t.storage_offset()));
}
Tensor Lines::make(ScalarType t) const { return empty_raw(rows.sizes(), t, rows.device()); }
Tensor Lines::restore(const Tensor& like_rows) const {
    if (sizes.empty()) return alias_raw(like_rows, {}, {}, like_rows.storage_offset());
    if (dim == std::int64_t(sizes.size()) - 1) return like_rows;
    Dims st(like_rows.strides()), s(like_rows.sizes());
    const std::int64_t step = st.back(), last = s.back();
    st.pop_back();
    s.pop_back();
    st.insert(st.begin() + dim, step);
    s.insert(s.begin() + dim, last);
    return contiguous_raw(alias_raw(like_rows, s, st, like_rows.storage_offset()));
}

} // namespace reel::reduction
