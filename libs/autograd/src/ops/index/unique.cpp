// Distinct elements or slices, and coordinates of flat positions.
#include <reel/autograd/kernels/search.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/unique.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"

#include <algorithm>

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

/// Distinct slices of `d`; sorted lexicographically, or only runs of equal neighbours joined.
Distinct distinct_slices(const char* op, const Tensor& input, std::int64_t d, bool sort) {
    kernels::unique.require(op, input);
    const std::int64_t n = input.size(d);
    if (input.numel() == 0) {
        std::int64_t empty_dims = 0;
        for (const std::int64_t s : input.sizes()) empty_dims += s == 0;
        REEL_CHECK(n == 0 && empty_dims == 1, op, ": dimension ", d, " of input ", input.sizes(),
                   " cannot be told apart because its slices are empty");
        const Tensor none = empty_raw({0}, kLong, input.device());
        return {empty_raw(input.sizes(), input), none, alias_raw(none)};
    }
    const Tensor rows = contiguous_raw(transpose_raw(input, 0, d));
    const std::int64_t length = input.numel() / n;
    const DistinctRows found =
        kernels::unique(op, alias_raw(rows, {n, length}, {length, 1}, rows.storage_offset()), sort);
    Dims sizes(input.sizes());
    sizes[std::size_t(d)] = found.first.numel();
    return {gather_raw(input, d, expand_index(found.first, sizes, d)), found.inverse, found.counts};
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
/// count from the end. int64, whatever the indices are, since a size may not fit into their dtype.
REEL_OP("unravel_index(Tensor indices, int[] shape) -> Tensor[]", not_differentiable)
std::vector<Tensor> unravel_index(const Tensor& indices, IntArrayRef shape) {
    REEL_CHECK_TYPE(isIntegralType(indices.scalar_type(), false), "unravel_index: indices must be integers, got ",
                    toString(indices.scalar_type()));
    for (const std::int64_t s : shape)
        REEL_CHECK_VALUE(s >= 0, "unravel_index: shape must not be negative, got ", shape);
    check_sizes("unravel_index", shape, kByte);
    const Tensor flat = contiguous_raw(cast_raw(indices, kLong));
    std::vector<Tensor> out(shape.size());
    std::int64_t step = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        const Tensor down = shape[d] > 0 ? floor_divide(flat, Scalar(step)) : zeros_raw(flat.sizes(), flat);
        out[d] = shape[d] > 0 ? remainder(down, Scalar(shape[d])) : down;
        step *= std::max<std::int64_t>(shape[d], 1);
    }
    return out;
}

} // namespace reel
