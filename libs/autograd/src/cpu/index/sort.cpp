// Order along rows: elements keyed with where they stood.
#include <reel/autograd/kernels/sort.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/index/row_order.hpp"
#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// What stands for an element: a key that compares as the elements do, so that everything below is compiled for four
/// widths of keys instead of for each type and direction, and where it stood.
template <class Key> using Keyed = std::pair<Key, std::int64_t>;
struct Before {
    template <class Key> bool operator()(const Keyed<Key>& a, const Keyed<Key>& b) const { return a.first < b.first; }
};
/// NaN counts as the greatest value.
template <class T> auto key_of(const T& v, bool descending) {
    const auto key = order_key(v);
    return descending ? decltype(key)(~key) : key;
}

/// Calls `pick(row)` for each row: it reorders the keyed elements so that the first ones are the results.
template <class F>
void select_rows(const char* op, const Tensor& values, const Tensor& indices, const Tensor& rows, bool descending,
                 const F& pick) {
    const std::int64_t n = rows.sizes().back(), k = values.sizes().back(), count = n == 0 ? 0 : rows.numel() / n;
    dispatch_real(values.scalar_type(), op, [&]<class T>() {
        const T* in = static_cast<const T*>(host_data(rows, op));
        T* v = static_cast<T*>(host_data(values, op));
        std::int64_t* i = host_data<std::int64_t>(indices, op);
        parallel_for(0, count, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(n, 1)),
                     [&](std::int64_t begin, std::int64_t end) {
                         std::vector<Keyed<UnsignedOf<sizeof(T)>>> row(static_cast<std::size_t>(n));
                         for (std::int64_t r = begin; r < end; ++r) {
                             for (std::int64_t j = 0; j < n; ++j)
                                 row[std::size_t(j)] = {key_of(in[r * n + j], descending), j};
                             pick(row);
                             for (std::int64_t j = 0; j < k; ++j) {
                                 const std::int64_t place = row[std::size_t(j)].second;
                                 v[r * k + j] = in[r * n + place];
                                 i[r * k + j] = place;
                             }
                         }
                     });
    });
}

/// Hoare's selection around a median of three: afterwards nothing before `k` is greater than row[k], nothing behind it
/// less. Which of several equal elements lands at `k` depends on the order of the swaps, which follows the reference's.
template <class Key> [[gnu::noinline]] void quick_select(std::vector<Keyed<Key>>& row, std::int64_t k) {
    const auto at = [&](std::int64_t i) -> Keyed<Key>& { return row[std::size_t(i)]; };
    const auto exceeds = [&](std::int64_t i, std::int64_t j) { return at(i).first > at(j).first; };
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
        const Key pivot = at(low).first;
        std::int64_t up = low + 1, down = high;
        for (;;) {
            do ++up;
            while (pivot > at(up).first);
            do --down;
            while (at(down).first > pivot);
            if (down < up) break;
            exchange(up, down);
        }
        exchange(low, down);
        if (down <= k) low = up;
        if (down >= k) high = down - 1;
    }
}
template <class Key> [[gnu::noinline]] void order_all(std::vector<Keyed<Key>>& row) {
    std::stable_sort(row.begin(), row.end(), Before());
}
template <class Key> [[gnu::noinline]] void order_first(std::vector<Keyed<Key>>& row, std::int64_t k, bool sorted) {
    if (k == 0) return;
    std::nth_element(row.begin(), row.begin() + k - 1, row.end(), Before());
    if (sorted) std::sort(row.begin(), row.begin() + k - 1, Before());
}

} // namespace

void sort(const char* op, const Tensor& values, const Tensor& indices, const Tensor& rows, bool descending,
          bool stable) {
    const std::int64_t n = rows.sizes().back(), count = n == 0 ? 0 : rows.numel() / n;
    if (n > RowOrder<float>::most)
        return select_rows(op, values, indices, rows, descending, [](auto& row) { order_all(row); });
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
/// Is one of the elements [from, to) before `last`, greater or less? Compared as they are, so that vectors do.
template <bool largest, class T> bool any_before(const T* row, std::int64_t from, std::int64_t to, T last) {
    if constexpr (std::is_floating_point_v<T>) {
        if (last != last) return true; // NaN has an order of its own
        bool found = false;
        for (std::int64_t j = from; j < to; ++j) found |= largest ? !(row[j] <= last) : row[j] < last;
        return found;
    } else if constexpr (std::is_integral_v<T>) {
        bool found = false;
        for (std::int64_t j = from; j < to; ++j) found |= largest ? row[j] > last : row[j] < last;
        return found;
    } else return true;
}
/// The best so far of a row, the last of them in front.
template <class Key> struct Heap {
    std::vector<Keyed<Key>> best;

    [[gnu::noinline]] void make() { std::make_heap(best.begin(), best.end() - 1, Before()); }
    [[gnu::noinline]] void offer(Key key, std::int64_t place) {
        if (!(key < best.front().first)) return;
        best.back() = {key, place};
        std::pop_heap(best.begin(), best.end(), Before());
    }
    [[gnu::noinline]] void sort() { std::sort_heap(best.begin(), best.end() - 1, Before()); }
};
/// The first `k` of a row in order, for k much smaller than n: a heap of the best so far, whose last one most elements
/// are not before. The steps, and so the order of equal elements, are those of `std::partial_sort`.
template <bool largest, class T>
void few_of_many(const T* in, std::int64_t n, std::int64_t k, Heap<UnsignedOf<sizeof(T)>>& heap) {
    constexpr std::int64_t block = 16;
    heap.best.resize(std::size_t(k + 1));
    for (std::int64_t j = 0; j < k; ++j) heap.best[std::size_t(j)] = {key_of(in[j], largest), j};
    heap.make();
    for (std::int64_t j = k; j < n;) {
        const std::int64_t next = std::min(j + block, n);
        if (any_before<largest>(in, j, next, in[heap.best.front().second]))
            for (; j < next; ++j) heap.offer(key_of(in[j], largest), j);
        j = next;
    }
    heap.sort();
}
template <bool largest> void topk_by_heap(const Tensor& values, const Tensor& indices, const Tensor& rows) {
    const std::int64_t n = rows.sizes().back(), k = values.sizes().back();
    dispatch_real(values.scalar_type(), "topk", [&]<class T>() {
        const T* in = static_cast<const T*>(host_data(rows, "topk"));
        T* v = static_cast<T*>(host_data(values, "topk"));
        std::int64_t* i = host_data<std::int64_t>(indices, "topk");
        parallel_for(0, rows.numel() / n, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            Heap<UnsignedOf<sizeof(T)>> heap;
            for (std::int64_t r = begin; r < end; ++r) {
                few_of_many<largest>(in + r * n, n, k, heap);
                for (std::int64_t j = 0; j < k; ++j) {
                    const std::int64_t place = heap.best[std::size_t(j)].second;
                    v[r * k + j] = in[r * n + place];
                    i[r * k + j] = place;
                }
            }
        });
    });
}
} // namespace

void topk(const Tensor& values, const Tensor& indices, const Tensor& rows, bool largest, bool sorted) {
    const std::int64_t n = rows.sizes().back(), k = values.sizes().back();
    if (k > 0 && k * 64 <= n) // a heap of k is cheaper than partitioning
        return largest ? topk_by_heap<true>(values, indices, rows) : topk_by_heap<false>(values, indices, rows);
    select_rows("topk", values, indices, rows, largest, [=](auto& row) { order_first(row, k, sorted); });
}

void kthvalue(const Tensor& values, const Tensor& indices, const Tensor& rows, std::int64_t k) {
    select_rows("kthvalue", values, indices, rows, false, [k](auto& row) {
        quick_select(row, k - 1);
        row[0] = row[std::size_t(k - 1)];
    });
}

} // namespace reel::cpu
