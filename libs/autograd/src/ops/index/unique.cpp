// Distinct elements or slices, and coordinates of flat positions.
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"

#include <algorithm>
#include <numeric>

#include "op/dispatch.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// The distinct slices, which distinct slice each slice is, and how often each occurs.
struct Distinct {
    Tensor values, inverse, counts;
};

/// Which of the `n` rows of `length` elements start a new group when visited in `order`, and the group of each row.
template <class T>
std::vector<std::int64_t> group(const T* rows, std::int64_t length, const std::vector<std::int64_t>& order,
                                std::int64_t* inverse, std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> first;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const T* row = rows + order[i] * length;
        if (i == 0 || !std::equal(row, row + length, rows + order[i - 1] * length)) {
            first.push_back(order[i]);
            counts.push_back(0);
        }
        ++counts.back();
        inverse[order[i]] = std::int64_t(first.size()) - 1;
    }
    return first;
}

/// Distinct slices of `d`; sorted lexicographically, or only runs of equal neighbours joined.
Distinct distinct_slices(const char* op, const Tensor& input, std::int64_t d, bool sort) {
    require_host(input, op);
    const std::int64_t n = input.size(d);
    if (input.numel() == 0) {
        std::int64_t empty_dims = 0;
        for (const std::int64_t s : input.sizes()) empty_dims += s == 0;
        REEL_CHECK(n == 0 && empty_dims == 1, op, ": dimension ", d, " of input ", input.sizes(),
                   " cannot be told apart because its slices are empty");
        return {empty_raw(input.sizes(), input), empty_raw({0}, kLong), empty_raw({0}, kLong)};
    }
    const Tensor rows = contiguous_raw(transpose_raw(input, 0, d));
    const std::int64_t length = input.numel() / n;
    std::vector<std::int64_t> order(static_cast<std::size_t>(n)), first, counts;
    std::iota(order.begin(), order.end(), 0);
    const Tensor inverse = empty_raw({n}, kLong);
    dispatch_all(input.scalar_type(), op, [&]<class T>() {
        const T* p = static_cast<const T*>(host_data(rows, op));
        if constexpr (requires(T a) { a < a; }) {
            const auto before = [&](std::int64_t a, std::int64_t b) {
                const T *x = p + a * length, *y = p + b * length;
                for (std::int64_t k = 0; k < length; ++k) {
                    const bool x_nan = x[k] != x[k], y_nan = y[k] != y[k]; // NaN counts as greatest
                    if (x_nan || y_nan) {
                        if (x_nan != y_nan) return y_nan;
                        continue;
                    }
                    if (x[k] < y[k]) return true;
                    if (y[k] < x[k]) return false;
                }
                return false;
            };
            if (sort) std::stable_sort(order.begin(), order.end(), before);
        } else REEL_CHECK_NOT_IMPLEMENTED(!sort, op, ": complex numbers have no order");
        first = group(p, length, order, host_data<std::int64_t>(inverse, op), counts);
    });
    const Tensor at = empty_raw({std::int64_t(first.size())}, kLong), times = empty_raw(at.sizes(), kLong);
    std::copy(first.begin(), first.end(), host_data<std::int64_t>(at, op));
    std::copy(counts.begin(), counts.end(), host_data<std::int64_t>(times, op));
    Dims sizes(input.sizes());
    sizes[std::size_t(d)] = at.numel();
    return {gather_raw(input, d, expand_index(at, sizes, d)), inverse, times};
}

/// The gradient of distinct slices along `d`: those that are equal share it.
Tensor shared_back(const Tensor& g, std::int64_t d, const Tensor& inverse, const Tensor& counts) {
    Dims along(std::size_t(g.dim()), 1);
    along[std::size_t(d)] = inverse.numel();
    return index_select(g, d, inverse) / reshape(index_select(counts, 0, inverse), along);
}

Distinct distinct(const char* op, const Tensor& input, std::optional<std::int64_t> dim, bool sort) {
    if (dim && input.dim() > 0) {
        const std::int64_t d = wrap_dim(op, *dim, input.dim());
        Distinct r = distinct_slices(op, input, d, sort);
        record(op, {input}, r.values, {r.inverse, r.counts},
               [d](RuleContext& c) -> GradList { return {shared_back(c.grad(), d, c.saved(0), c.saved(1))}; });
        return r;
    }
    const Tensor flat = contiguous_raw(input);
    Distinct r = distinct_slices(op, alias_raw(flat, {flat.numel()}, {1}, flat.storage_offset()), 0, sort);
    record(op, {input}, r.values, {r.inverse, r.counts}, [sizes = Dims(input.sizes())](RuleContext& c) -> GradList {
        return {reshape(shared_back(c.grad(), 0, c.saved(0), c.saved(1)), sizes)};
    });
    r.inverse = alias_raw(r.inverse, input.sizes(), contiguous_strides(input.sizes()), 0);
    return r;
}

Value asked_for(const Distinct& d, bool return_inverse, bool return_counts) {
    if (!return_inverse && !return_counts) return d.values;
    std::vector<Value> out{d.values};
    if (return_inverse) out.push_back(d.inverse);
    if (return_counts) out.push_back(d.counts);
    return Value::tuple(std::move(out));
}
} // namespace

/// The distinct elements (without `dim`) or slices of `dim`, in ascending order, with the number of each input's
/// distinct element and their frequencies; called by name, only those that are asked for. Always sorted. Equal elements
/// share the gradient.
REEL_OP("unique(Tensor input, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None) -> "
        "Value",
        rule, cpp("unique_as"))
Value unique_as(const Tensor& input, bool, bool return_inverse, bool return_counts, std::optional<std::int64_t> dim) {
    return asked_for(distinct("unique", input, dim, true), return_inverse, return_counts);
}
REEL_OP("_unique2(Tensor input, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
        "(Tensor values, Tensor inverse, Tensor counts)",
        rule, samples(call(longs({3, 1, 3})), call(numbers({4}))))
std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& input, bool, bool, bool) {
    const Distinct d = distinct("unique", input, std::nullopt, true);
    return {d.values, d.inverse, d.counts};
}
REEL_OP("unique_dim(Tensor input, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
        "(Tensor values, Tensor inverse, Tensor counts)",
        rule, samples(call(numbers({3, 4}), 0)))
std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& input, std::int64_t dim, bool, bool, bool) {
    const Distinct d = distinct("unique_dim", input, dim, true);
    return {d.values, d.inverse, d.counts};
}

REEL_OP("unique_with_all(Tensor input, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? "
        "dim=None) "
        "-> (Tensor values, Tensor inverse, Tensor counts)",
        rule, method, cpp("unique"), samples(call(numbers({3, 4}))))
std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& input, bool, bool, bool, std::optional<std::int64_t> dim) {
    const Distinct d = distinct("unique", input, dim, true);
    return {d.values, d.inverse, d.counts};
}

/// `unique` that only joins equal neighbours.
REEL_OP("unique_consecutive(Tensor input, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Value",
        rule, cpp("unique_consecutive_as"))
Value unique_consecutive_as(const Tensor& input, bool return_inverse, bool return_counts,
                            std::optional<std::int64_t> dim) {
    return asked_for(distinct("unique_consecutive", input, dim, false), return_inverse, return_counts);
}

REEL_OP("unique_consecutive_with_all(Tensor input, bool return_inverse=False, bool return_counts=False, int? dim=None) "
        "-> (Tensor values, Tensor inverse, Tensor counts)",
        rule, method, cpp("unique_consecutive"), samples(call(numbers({3, 4}))))
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& input, bool, bool,
                                                      std::optional<std::int64_t> dim) {
    const Distinct d = distinct("unique_consecutive", input, dim, false);
    return {d.values, d.inverse, d.counts};
}

/// The coordinates of positions in a row-major tensor of sizes `shape`: one tensor per dimension. Negative positions
/// count from the end.
REEL_OP("unravel_index(Tensor indices, int[] shape) -> Tensor[]", not_differentiable)
std::vector<Tensor> unravel_index(const Tensor& indices, IntArrayRef shape) {
    REEL_CHECK_TYPE(isIntegralType(indices.scalar_type(), false), "unravel_index: indices must be integers, got ",
                    toString(indices.scalar_type()));
    for (const std::int64_t s : shape)
        REEL_CHECK_VALUE(s >= 0, "unravel_index: shape must not be negative, got ", shape);
    check_sizes("unravel_index", shape, kByte);
    require_host(indices, "unravel_index");
    const Tensor flat = contiguous_raw(cast_raw(indices, kLong));
    const std::int64_t* p = host_data<std::int64_t>(flat, "unravel_index");
    std::vector<Tensor> out(shape.size());
    std::int64_t step = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        const Tensor part = empty_raw(indices.sizes(), kLong);
        std::int64_t* o = host_data<std::int64_t>(part, "unravel_index");
        for (std::int64_t i = 0; i < flat.numel() && shape[d] > 0; ++i) {
            const std::int64_t down = p[i] / step - (p[i] % step < 0);
            const std::int64_t rest = down % shape[d];
            o[i] = rest < 0 ? rest + shape[d] : rest;
        }
        step *= std::max<std::int64_t>(shape[d], 1);
        out[d] = cast_raw(part, indices.scalar_type());
    }
    return out;
}

} // namespace reel
