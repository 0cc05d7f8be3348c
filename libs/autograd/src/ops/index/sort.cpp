// Order: sort, argsort, msort, topk, kthvalue.
#include <reel/autograd/kernels/sort.hpp>
#include <reel/autograd/ops/index/sort.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
std::int64_t ordered_dim(const char* op, const Tensor& input, std::int64_t dim) {
    REEL_CHECK_NOT_IMPLEMENTED(!input.is_complex(), op, ": input: complex numbers have no order");
    return wrap_dim(op, dim, input.dim());
}

struct Selected {
    Tensor values, indices;
};

/// Lets `select(values, indices, rows)` fill results of `k` elements for each line along `d`.
template <class F> Selected select_lines(const Tensor& input, std::int64_t d, std::int64_t k, const F& select) {
    const Tensor x = at_least_1d_raw(input);
    const std::int64_t last = x.dim() - 1;
    const Tensor rows = contiguous_raw(transpose_raw(x, d, last));
    Dims sizes(rows.sizes());
    sizes[std::size_t(last)] = k;
    const Tensor values = empty_raw(sizes, x), indices = empty_raw(sizes, kLong, x.device());
    select(values, indices, rows);
    const auto placed = [&](const Tensor& t) {
        Tensor out = t;
        if (d != last) {
            const Tensor turned = transpose_raw(t, d, last);
            out = empty_raw(turned.sizes(), t);
            assign_raw(out, turned);
        }
        return input.dim() == 0 ? alias_raw(out, {}, {}, 0) : out;
    };
    return {placed(values), placed(indices)};
}

/// The gradient goes to where the values came from.
void record_selection(const char* op, const Tensor& input, const Selected& s, std::int64_t d) {
    record(op, {input}, s.values, {s.indices}, [d, before = Dims(input.sizes())](RuleContext& c) -> GradList {
        return {c.grad().new_zeros(before).scatter(d, c.saved(0), c.grad())};
    });
}

Selected sorted(const char* op, const Tensor& input, std::int64_t dim, bool descending, bool stable) {
    const std::int64_t d = ordered_dim(op, input, dim);
    return select_lines(input, d, input.dim() == 0 ? 1 : input.size(d),
                        [&](const Tensor& values, const Tensor& indices, const Tensor& rows) {
                            kernels::sort(op, values, indices, rows, descending, stable);
                        });
}
} // namespace

/// The elements along `dim` in order (NaN counts as greatest), and where they stood. `stable`: equal elements keep
/// their order. gradient: to where each value came from.
REEL_OP(
    "sort(Tensor input, int dim=-1, bool descending=False, *, bool stable=False) -> (Tensor values, Tensor indices)",
    rule, method, out)
std::tuple<Tensor, Tensor> sort(const Tensor& input, std::int64_t dim, bool descending, bool stable) {
    const Selected s = sorted("sort", input, dim, descending, stable);
    record_selection("sort", input, s, wrap_dim("sort", dim, input.dim()));
    return {s.values, s.indices};
}
/// The indices of `sort`.
REEL_OP("argsort(Tensor input, int dim=-1, bool descending=False, *, bool stable=False) -> Tensor", not_differentiable,
        method, out)
Tensor argsort(const Tensor& input, std::int64_t dim, bool descending, bool stable) {
    if (reel::detail::thread_modes.observers) recording::not_recorded("argsort", {input});
    return sorted("argsort", input, dim, descending, stable).indices;
}
/// The values of `sort` along the first dimension.
REEL_OP("msort(Tensor input) -> Tensor", composite, method, out_exact)
Tensor msort(const Tensor& input) { return std::get<0>(sort(input, 0)); }

/// The `k` greatest (or smallest) elements along `dim` and where they stand, in order if `sorted`.
REEL_OP("topk(Tensor input, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
        rule, method, out_exact)
std::tuple<Tensor, Tensor> topk(const Tensor& input, std::int64_t k, std::int64_t dim, bool largest, bool sorted) {
    const std::int64_t d = ordered_dim("topk", input, dim), n = input.dim() == 0 ? 1 : input.size(d);
    REEL_CHECK(k >= 0 && k <= n, "topk: k is ", k, ", dimension ", d, " of input ", input.sizes(), " has ", n,
               " elements");
    if (input.dim() == 0) k = 1; // a 0-dim result has one element
    const Selected s = select_lines(input, d, k, [&](const Tensor& values, const Tensor& indices, const Tensor& rows) {
        kernels::topk(values, indices, rows, largest, sorted);
    });
    record_selection("topk", input, s, d);
    return {s.values, s.indices};
}

/// The `k`-th smallest element along `dim` and where it stands.
REEL_OP("kthvalue(Tensor input, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", rule,
        method, out_exact)
std::tuple<Tensor, Tensor> kthvalue(const Tensor& input, std::int64_t k, std::int64_t dim, bool keepdim) {
    const std::int64_t d = ordered_dim("kthvalue", input, dim), n = input.dim() == 0 ? 1 : input.size(d);
    REEL_CHECK(k >= 1 && k <= n, "kthvalue: k is ", k, ", dimension ", d, " of input ", input.sizes(), " has ", n,
               " elements");
    const Selected s = select_lines(input, d, 1, [k](const Tensor& values, const Tensor& indices, const Tensor& rows) {
        kernels::kthvalue(values, indices, rows, k);
    });
    record_selection("kthvalue", input, s, d);
    if (keepdim || input.dim() == 0) return {s.values, s.indices};
    return {s.values.squeeze(d), s.indices.squeeze(d)};
}

} // namespace reel
