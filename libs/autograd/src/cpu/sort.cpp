// Order along rows: elements keyed with where they stood.
#include <reel/autograd/kernels/sort.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/row_order.hpp"
#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// NaN counts as the greatest value.
template <class T> bool greater(const T& a, const T& b) { return (is_nan(Wide<T>(a)) && !is_nan(Wide<T>(b))) || a > b; }
template <class T> bool less(const T& a, const T& b) { return (!is_nan(Wide<T>(a)) && is_nan(Wide<T>(b))) || a < b; }

template <class T> using Keyed = std::pair<T, std::int64_t>; ///< a value and where it stood
struct Greater {
    template <class T> bool operator()(const Keyed<T>& a, const Keyed<T>& b) const { return greater(a.first, b.first); }
};
struct Less {
    template <class T> bool operator()(const Keyed<T>& a, const Keyed<T>& b) const { return less(a.first, b.first); }
};

/// Calls `pick(row)` for each row: it reorders the keyed elements so that the first ones are the results.
template <class F>
void select_rows(const char* op, const Tensor& values, const Tensor& indices, const Tensor& rows, const F& pick) {
    const std::int64_t n = rows.sizes().back(), k = values.sizes().back(), count = n == 0 ? 0 : rows.numel() / n;
    dispatch_real(values.scalar_type(), op, [&]<class T>() {
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

void sort(const char* op, const Tensor& values, const Tensor& indices, const Tensor& rows, bool descending,
          bool stable) {
    const std::int64_t n = rows.sizes().back(), count = n == 0 ? 0 : rows.numel() / n;
    if (n > RowOrder<float>::most)
        return select_rows(op, values, indices, rows, [=](auto& row) {
            if (descending) std::stable_sort(row.begin(), row.end(), Greater());
            else std::stable_sort(row.begin(), row.end(), Less());
        });
    dispatch_real(values.scalar_type(), op, [&]<class T>() {
        const T* in = static_cast<const T*>(host_data(rows, op));
        T* v = static_cast<T*>(host_data(values, op));
        std::int64_t* i = host_data<std::int64_t>(indices, op);
        parallel_for(0, count, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(n, 1)),
                     [&](std::int64_t begin, std::int64_t end) {
                         RowOrder<T> order(n);
                         for (std::int64_t r = begin; r < end; ++r)
                             order(in + r * n, descending, stable ? Equals::AsTheyStood : Equals::AsSwapped,
                                   [&](std::int64_t rank, std::int64_t place) {
                                       v[r * n + rank] = in[r * n + place];
                                       i[r * n + rank] = place;
                                   });
                     });
    });
}

namespace {
/// Is one of the elements [from, to) before `last` in the order of `Before`? Compared as they are, so that vectors do.
template <class Before, class T> bool any_before(const T* row, std::int64_t from, std::int64_t to, T last) {
    if constexpr (std::is_floating_point_v<T>) {
        if (last != last) return true; // NaN has an order of its own
        bool found = false;
        for (std::int64_t j = from; j < to; ++j)
            found |= std::is_same_v<Before, Greater> ? !(row[j] <= last) : row[j] < last;
        return found;
    } else if constexpr (std::is_integral_v<T>) {
        bool found = false;
        for (std::int64_t j = from; j < to; ++j)
            found |= std::is_same_v<Before, Greater> ? row[j] > last : row[j] < last;
        return found;
    } else return true;
}
/// The first `k` of a row in order, for k much smaller than n: a heap of the best so far, whose last one most elements
/// are not before. The steps, and so the order of equal elements, are those of `std::partial_sort`.
template <class Before, class T>
void few_of_many(const T* in, std::int64_t n, std::int64_t k, std::vector<Keyed<T>>& heap) {
    constexpr std::int64_t block = 16;
    const Before before;
    heap.resize(std::size_t(k + 1));
    for (std::int64_t j = 0; j < k; ++j) heap[std::size_t(j)] = {in[j], j};
    const auto end = heap.begin() + k;
    std::make_heap(heap.begin(), end, before);
    for (std::int64_t j = k; j < n;) {
        const std::int64_t next = std::min(j + block, n);
        if (!any_before<Before>(in, j, next, heap.front().first)) {
            j = next;
            continue;
        }
        for (; j < next; ++j) {
            heap.back() = {in[j], j};
            if (before(heap.back(), heap.front())) std::pop_heap(heap.begin(), heap.end(), before);
        }
    }
    std::sort_heap(heap.begin(), end, before);
}
template <class Before> void topk_by_heap(const Tensor& values, const Tensor& indices, const Tensor& rows) {
    const std::int64_t n = rows.sizes().back(), k = values.sizes().back();
    dispatch_real(values.scalar_type(), "topk", [&]<class T>() {
        const T* in = static_cast<const T*>(host_data(rows, "topk"));
        T* v = static_cast<T*>(host_data(values, "topk"));
        std::int64_t* i = host_data<std::int64_t>(indices, "topk");
        parallel_for(0, rows.numel() / n, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            std::vector<Keyed<T>> best;
            for (std::int64_t r = begin; r < end; ++r) {
                few_of_many<Before>(in + r * n, n, k, best);
                for (std::int64_t j = 0; j < k; ++j) std::tie(v[r * k + j], i[r * k + j]) = best[std::size_t(j)];
            }
        });
    });
}
} // namespace

void topk(const Tensor& values, const Tensor& indices, const Tensor& rows, bool largest, bool sorted) {
    const std::int64_t n = rows.sizes().back(), k = values.sizes().back();
    if (k > 0 && k * 64 <= n) // a heap of k is cheaper than partitioning
        return largest ? topk_by_heap<Greater>(values, indices, rows) : topk_by_heap<Less>(values, indices, rows);
    select_rows("topk", values, indices, rows, [=](auto& row) {
        const auto pick = [&](auto before) {
            if (k == 0) return;
            std::nth_element(row.begin(), row.begin() + k - 1, row.end(), before);
            if (sorted) std::sort(row.begin(), row.begin() + k - 1, before);
        };
        if (largest) pick(Greater());
        else pick(Less());
    });
}

void kthvalue(const Tensor& values, const Tensor& indices, const Tensor& rows, std::int64_t k) {
    select_rows("kthvalue", values, indices, rows, [k](auto& row) {
        quick_select(row, k - 1);
        row[0] = row[std::size_t(k - 1)];
    });
}

} // namespace reel::cpu
