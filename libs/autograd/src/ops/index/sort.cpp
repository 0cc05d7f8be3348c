// Order: sort, argsort, msort, topk, kthvalue.
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/ops/index/sort.hpp>
#include <reel/autograd/parallel.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "op/dispatch.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
template <class T> bool is_nan(const T& v) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(v);
    else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return std::isnan(float(v));
    else return false;
}
/// NaN counts as the greatest value.
template <class T> bool greater(const T& a, const T& b) { return (is_nan(a) && !is_nan(b)) || a > b; }
template <class T> bool less(const T& a, const T& b) { return (!is_nan(a) && is_nan(b)) || a < b; }

template <class T> using Keyed = std::pair<T, std::int64_t>; ///< a value and where it stood
struct Greater {
    template <class T> bool operator()(const Keyed<T>& a, const Keyed<T>& b) const { return greater(a.first, b.first); }
};
struct Less {
    template <class T> bool operator()(const Keyed<T>& a, const Keyed<T>& b) const { return less(a.first, b.first); }
};

std::int64_t ordered_dim(const char* op, const Tensor& input, std::int64_t dim) {
    REEL_CHECK_NOT_IMPLEMENTED(!input.is_complex(), op, ": input: complex numbers have no order");
    return wrap_dim(op, dim, input.dim());
}

struct Selected {
    Tensor values, indices;
};

/// Runs `pick.operator()<T>(row)` over each line along `d`: it reorders the keyed elements so that the first `k` are
/// the result.
template <class F>
Selected select_rows(const char* op, const Tensor& input, std::int64_t d, std::int64_t k, const F& pick) {
    const Tensor x = at_least_1d_raw(input);
    const std::int64_t last = x.dim() - 1, n = x.size(d);
    const Tensor rows = contiguous_raw(transpose_raw(x, d, last));
    Dims sizes(rows.sizes());
    sizes[std::size_t(last)] = k;
    const Tensor values = empty_raw(sizes, x), indices = empty_raw(sizes, kLong, x.device());
    const std::int64_t count = n == 0 ? 0 : rows.numel() / n;
    dispatch_real(x.scalar_type(), op, [&]<class T>() {
        if (values.is_meta()) return;
        const T* in = static_cast<const T*>(host_data(rows, op));
        T* v = static_cast<T*>(host_data(values, op));
        std::int64_t* i = host_data<std::int64_t>(indices, op);
        parallel_for(0, count, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(n, 1)),
                     [&](std::int64_t begin, std::int64_t end) {
                         std::vector<Keyed<T>> row(static_cast<std::size_t>(n));
                         for (std::int64_t r = begin; r < end; ++r) {
                             for (std::int64_t j = 0; j < n; ++j) row[std::size_t(j)] = {in[r * n + j], j};
                             pick(row);
                             for (std::int64_t j = 0; j < k; ++j) {
                                 v[r * k + j] = row[std::size_t(j)].first;
                                 i[r * k + j] = row[std::size_t(j)].second;
                             }
                         }
                     });
    });
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
    return select_rows(op, input, d, input.dim() == 0 ? 1 : input.size(d), [=](auto& row) {
        const auto order = [&](auto before) {
            if (stable) std::stable_sort(row.begin(), row.end(), before);
            else std::sort(row.begin(), row.end(), before);
        };
        if (descending) order(Greater());
        else order(Less());
    });
}

/// Hoare's selection around a median of three: afterwards nothing before `k` is greater than row[k], nothing behind it
/// less. Which of several equal elements lands at `k` depends on the order of the swaps, which follows the reference's.
template <class T> void quick_select(std::vector<Keyed<T>>& row, std::int64_t k) {
    const auto at = [&](std::int64_t i) -> Keyed<T>& { return row[std::size_t(i)]; };
    const auto exceeds = [&](std::int64_t i, std::int64_t j) { return greater(at(i).first, at(j).first); };
    const auto exchange = [&](std::int64_t i, std::int64_t j) { std::swap(at(i), at(j)); };
    std::int64_t low = 0, high = std::int64_t(row.size()) - 1;
    while (high > low) {
        if (high == low + 1) {
            if (exceeds(low, high)) exchange(low, high);
            return;
        }
        exchange(low + (high - low) / 2, low + 1);
        if (exceeds(low + 1, high)) exchange(low + 1, high);
        if (exceeds(low, high)) exchange(low, high);
        if (exceeds(low + 1, low)) exchange(low + 1, low);
        const T pivot = at(low).first;
        std::int64_t up = low + 1, down = high;
        for (;;) {
            do ++up;
            while (greater(pivot, at(up).first));
            do --down;
            while (greater(at(down).first, pivot));
            if (down < up) break;
            exchange(up, down);
        }
        exchange(low, down);
        if (down <= k) low = up;
        if (down >= k) high = down - 1;
    }
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
        rule, method, out)
std::tuple<Tensor, Tensor> topk(const Tensor& input, std::int64_t k, std::int64_t dim, bool largest, bool sorted) {
    const std::int64_t d = ordered_dim("topk", input, dim), n = input.dim() == 0 ? 1 : input.size(d);
    REEL_CHECK(k >= 0 && k <= n, "topk: k is ", k, ", dimension ", d, " of input ", input.sizes(), " has ", n,
               " elements");
    if (input.dim() == 0) k = 1; // a 0-dim result has one element
    const Selected s = select_rows("topk", input, d, k, [&](auto& row) {
        const auto pick = [&](auto before) {
            if (k == 0) return;
            if (k * 64 <= n) { // few of many: a heap of k is cheaper than partitioning
                std::partial_sort(row.begin(), row.begin() + k, row.end(), before);
                return;
            }
            std::nth_element(row.begin(), row.begin() + k - 1, row.end(), before);
            if (sorted) std::sort(row.begin(), row.begin() + k - 1, before);
        };
        if (largest) pick(Greater());
        else pick(Less());
    });
    record_selection("topk", input, s, d);
    return {s.values, s.indices};
}

/// The `k`-th smallest element along `dim` and where it stands.
REEL_OP("kthvalue(Tensor input, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", rule,
        method, out)
std::tuple<Tensor, Tensor> kthvalue(const Tensor& input, std::int64_t k, std::int64_t dim, bool keepdim) {
    const std::int64_t d = ordered_dim("kthvalue", input, dim), n = input.dim() == 0 ? 1 : input.size(d);
    REEL_CHECK(k >= 1 && k <= n, "kthvalue: k is ", k, ", dimension ", d, " of input ", input.sizes(), " has ", n,
               " elements");
    const Selected s = select_rows("kthvalue", input, d, 1, [k](auto& row) {
        quick_select(row, k - 1);
        row[0] = row[std::size_t(k - 1)];
    });
    record_selection("kthvalue", input, s, d);
    if (keepdim || input.dim() == 0) return {s.values, s.indices};
    return {s.values.squeeze(d), s.indices.squeeze(d)};
}

} // namespace reel
