// Reductions into positions that index tensors name: scatter_reduce, index_reduce.

#include <limits>
#include <string>

#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/index/scatter_reduce.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "op/dispatch.hpp"
#include "ops/index/index_kernels.hpp"
#include "ops/reduce/reduction.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
enum class Reduce { Sum, Mean, Prod, Max, Min };

Reduce parse(const char* op, std::string_view name, bool sum) {
    if (sum && name == "sum") return Reduce::Sum;
    if (name == "mean") return Reduce::Mean;
    if (name == "prod") return Reduce::Prod;
    if (name == "amax") return Reduce::Max;
    if (name == "amin") return Reduce::Min;
    REEL_THROW(Error, op, ": reduce must be ", sum ? "sum, " : "", "mean, prod, amax or amin, got '", name, "'");
}

ScatterMode mode_of(Reduce r) {
    switch (r) {
    case Reduce::Prod:
        return ScatterMode::Multiply;
    case Reduce::Max:
        return ScatterMode::Maximum;
    case Reduce::Min:
        return ScatterMode::Minimum;
    default:
        return ScatterMode::Add;
    }
}

Scalar neutral(Reduce r, ScalarType t) {
    if (r == Reduce::Prod) return Scalar(1);
    if (r == Reduce::Sum || r == Reduce::Mean) return Scalar(0);
    const bool low = r == Reduce::Max;
    if (isFloatingType(t))
        return Scalar(low ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
    return dispatch_real(t, "scatter_reduce", [&]<class T>() -> Scalar {
        if constexpr (std::is_integral_v<T>)
            return Scalar(low ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max());
        else return Scalar(0);
    });
}

/// The forward value; `index` has been checked and has the sizes of what is read from `src`.
Tensor reduce_into(const Tensor& input, std::int64_t d, const Tensor& index, const Tensor& src, Reduce r, bool self) {
    const NoGradGuard off;
    Tensor out = input.clone(MemoryFormat::Contiguous);
    if (index.numel() == 0) return out;
    if (!self) out = out.scatter(d, index, neutral(r, input.scalar_type()));
    scatter_raw(mode_of(r), out, d, index, src);
    if (r != Reduce::Mean) return out;
    Tensor times = zeros_raw(input.sizes(), input);
    if (self) fill_raw(times, Scalar(1));
    const Tensor one = empty_raw({}, input);
    fill_raw(one, Scalar(1));
    scatter_raw(ScatterMode::Add, times, d, index, expand_raw(one, index.sizes()));
    times = times.masked_fill(times.eq(Scalar(0)), Scalar(1));
    if (isFloatingType(input.scalar_type()) || input.is_complex()) return out.div(times);
    if (!isIntegralType(input.scalar_type(), false)) throw_unsupported_dtype("scatter_reduce", input.scalar_type());
    return out.floor_divide(times);
}

Tensor as_dtype(const Tensor& condition, const Tensor& like) { return condition.to(like.scalar_type()); }

/// The gradient of the sources of a product, in which the slots with several zeros are replaced: the quotient rule is
/// right there by its value, but not by its derivatives. There each source gets the product of all others.
Tensor with_many_zeros(const Tensor& usual, const Tensor& g, const Tensor& input, std::int64_t d, const Tensor& index,
                       const Tensor& src, bool self) {
    const auto longs = [&](const std::vector<std::int64_t>& v) { return tensor_of(v).to(input.device()); };
    const Tensor places =
        reshape(arange(Scalar(input.numel()), TensorOptions(kLong).device(input.device())), input.sizes());
    const HostValues<std::int64_t> slot(gather_raw(places, d, index), "scatter_reduce");
    const HostValues<bool> zero(src.detach() == 0, "scatter_reduce");
    std::vector<std::int64_t> zeros(static_cast<std::size_t>(input.numel())), row(zeros.size(), -1), slot_of_row;
    for (std::int64_t i = 0; i < slot.size(); ++i)
        if (zero[i] && ++zeros[std::size_t(slot[i])] == 2) {
            row[std::size_t(slot[i])] = std::int64_t(slot_of_row.size());
            slot_of_row.push_back(slot[i]);
        }
    if (slot_of_row.empty()) return usual;
    std::vector<std::vector<std::int64_t>> members(slot_of_row.size());
    for (std::int64_t i = 0; i < slot.size(); ++i)
        if (const std::int64_t r = row[std::size_t(slot[i])]; r >= 0) members[std::size_t(r)].push_back(i);
    std::size_t width = 0;
    for (const auto& m : members) width = std::max(width, m.size());
    // One line of factors for each slot, filled up with a one from behind the sources; `at` finds the sources in them.
    std::vector<std::int64_t> table, sources, at;
    for (const auto& m : members)
        for (std::size_t k = 0; k < width; ++k) {
            if (k < m.size()) {
                sources.push_back(m[k]);
                at.push_back(std::int64_t(table.size()));
            }
            table.push_back(k < m.size() ? m[k] : src.numel());
        }
    const Tensor flat = cat({src.reshape({-1}), src.new_ones({1})}), rows = longs(slot_of_row);
    const Tensor factors = flat.index_select(0, longs(table)).reshape({rows.numel(), -1});
    Tensor each = g.reshape({-1}).index_select(0, rows);
    if (self) each = each * conj(input.reshape({-1}).index_select(0, rows));
    const Tensor fresh = (unsqueeze(each, 1) * conj(reduction::product_of_others(factors, 1))).reshape({-1});
    return usual.reshape({-1}).index_copy(0, longs(sources), fresh.index_select(0, longs(at))).reshape(usual.sizes());
}

/// Gradients of both operands. Ties of amax and amin share evenly, as do `input` and the sources.
GradList reduce_backward(RuleContext& c, std::int64_t d, Reduce r, bool self) {
    const Tensor& g = c.grad();
    const Tensor input = c.saved(0), index = c.saved(1), src = c.saved(2), result = c.saved(3);
    GradList out(2);
    Tensor per_element = g;
    switch (r) {
    case Reduce::Sum:
        break;
    case Reduce::Mean: {
        Tensor n = zeros_raw(g.sizes(), g);
        if (self) fill_raw(n, Scalar(1));
        n = n.scatter_add(d, index, ones_like(src));
        per_element = g.div(n.masked_fill(n.eq(Scalar(0)), Scalar(1)));
        break;
    }
    case Reduce::Max:
    case Reduce::Min: {
        Tensor from_self = as_dtype(input.eq(result), g);
        if (!self) from_self = from_self.scatter(d, index, Scalar(0)); // what is left out wins nothing
        const Tensor value = result.gather(d, index);
        const Tensor from_src = as_dtype(src.eq(value), g);
        const Tensor winners = from_self.scatter_add(d, index, from_src);
        const Tensor shared = g.div(winners.masked_fill(winners.eq(Scalar(0)), Scalar(1)));
        if (c.needs(0)) out[0] = shared.mul(from_self);
        if (c.needs(1)) out[1] = shared.gather(d, index).mul(from_src);
        break;
    }
    case Reduce::Prod: {
        if (c.needs(0)) { // without itself, also where it is zero
            const Tensor masked = input.masked_fill(input.eq(Scalar(0)), Scalar(1));
            const Tensor others = masked.scatter_reduce(d, index, src, "prod", self);
            out[0] = g.mul(conj(others.div(masked)));
        }
        if (c.needs(1)) {
            const Tensor zero = src.eq(Scalar(0));
            const Tensor zeros = zeros_raw(input.sizes(), g).scatter_add(d, index, as_dtype(zero, g)).gather(d, index);
            const Tensor single = zero.logical_and(zeros.eq(Scalar(1)));
            const Tensor others = input.scatter_reduce(d, index, src.masked_fill(single, Scalar(1)), "prod", self);
            const Tensor usual = g.mul(conj(result)).gather(d, index).div(conj(src.masked_fill(zero, Scalar(1))));
            out[1] = where(single, g.mul(conj(others)).gather(d, index), usual);
            if (needs_recording(input, src)) out[1] = with_many_zeros(out[1], g, input, d, index, src, self);
        }
        break;
    }
    }
    if (r == Reduce::Sum || r == Reduce::Mean) {
        out[0] = per_element;
        if (c.needs(1)) out[1] = per_element.gather(d, index);
    }
    if (!self && out[0].defined()) out[0] = out[0].scatter(d, index, Scalar(0));
    return out;
}

void check_operands(const Tensor& input, std::int64_t d, const Tensor& index, const Tensor& src) {
    REEL_CHECK(src.scalar_type() == input.scalar_type(), "scatter_reduce: src must have the dtype of input, got ",
               toString(src.scalar_type()), " and ", toString(input.scalar_type()));
    const std::int64_t dims = std::max<std::int64_t>(input.dim(), 1);
    const auto rank = [](const Tensor& t) { return std::max<std::int64_t>(t.dim(), 1); };
    REEL_CHECK(index.numel() == 0 || (rank(index) == dims && rank(src) == dims), "scatter_reduce: index ",
               index.sizes(), " and src ", src.sizes(), " must have as many dimensions as input ", input.sizes());
    for (std::int64_t k = 0; index.numel() > 0 && k < index.dim(); ++k) {
        const std::int64_t n = index.sizes()[std::size_t(k)];
        REEL_CHECK((k == d || input.dim() == 0 || n <= input.sizes()[std::size_t(k)]) &&
                       (src.dim() == 0 || n <= src.sizes()[std::size_t(k)]),
                   "scatter_reduce: index ", index.sizes(), " exceeds input ", input.sizes(), " or src ", src.sizes(),
                   " in dimension ", k);
    }
}

/// What `index` names places for; the rest has no part, and a gradient of zeros.
Tensor leading_part(const Tensor& src, const Tensor& index) {
    if (src.sizes().equals(index.sizes())) return src;
    if (index.numel() == 0) return reshape(narrow(reshape(src, {-1}), 0, 0, 0), index.sizes()); // of any rank
    Tensor part = src;
    for (std::int64_t k = 0; k < src.dim(); ++k) part = narrow(part, k, 0, index.dim() == 0 ? 1 : index.size(k));
    return part.sizes().equals(index.sizes()) ? part : reshape(part, index.sizes());
}
} // namespace

/// A copy of `input` in which each element is the reduction (sum, prod, mean, amax, amin) of itself, unless
/// `include_self` is off, and the elements of `src` that `index` sends to it along `dim`.
REEL_OP("scatter_reduce(Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> "
        "Tensor",
        rule, method, out_exact, inplace)
Tensor scatter_reduce(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self) {
    const Reduce r = parse("scatter_reduce", reduce, true);
    const std::int64_t d = wrap_dim("scatter_reduce", dim, input.dim());
    check_operands(input, d, index, src);
    const Tensor at = checked_index("scatter_reduce", index, input.dim() == 0 ? 1 : input.sizes()[std::size_t(d)]);
    const Tensor read = leading_part(src, at);
    const Tensor out = reduce_into(input, d, at, read, r, include_self);
    record("scatter_reduce", {input, read}, out, {input, at, read, out},
           [d, r, include_self](RuleContext& c) -> GradList { return reduce_backward(c, d, r, include_self); });
    return out;
}

/// `scatter_reduce` with a one-dimensional index of slices along `dim`.
REEL_OP("index_reduce(Tensor input, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> "
        "Tensor",
        composite, method, out_exact, inplace)
Tensor index_reduce(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
    parse("index_reduce", reduce, false);
    const std::int64_t d = wrap_dim("index_reduce", dim, input.dim());
    REEL_CHECK_INDEX(index.dim() <= 1, "index_reduce: index must have at most one dimension, got sizes ",
                     index.sizes());
    REEL_CHECK_INDEX((source.dim() == 0 ? 1 : source.size(d)) == index.numel(), "index_reduce: index has ",
                     index.numel(), " elements, source has sizes ", source.sizes());
    for (std::int64_t k = 0; k < input.dim(); ++k)
        REEL_CHECK(source.dim() == input.dim() && (k == d || source.size(k) == input.size(k)), "index_reduce: source ",
                   source.sizes(), " does not match input ", input.sizes(), " outside of dimension ", d);
    const Tensor at = checked_index("index_reduce", index, input.dim() == 0 ? 1 : input.size(d));
    return scatter_reduce(input, d, contiguous_raw(expand_index(at, source.sizes(), d)), source, reduce, include_self);
}

} // namespace reel
