// Distinct rows: by a table, by sorting, or among neighbours alone.
#include <reel/autograd/kernels/search.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/index/row_order.hpp"
#include "cpu/rows.hpp"
#include "cpu/scratch.hpp"
#include "op/dispatch.hpp"
#include "tensor/host_values.hpp"
#include "tensor/raw.hpp"

namespace reel::cpu {

namespace {

// Compiled for the widths of keys, which compare as the elements do, instead of for each type.
/// Orders rows of `length` keys, and leaves equal ones as they stand.
template <class Key>
[[gnu::noinline]] void order_rows(const std::vector<Key>& keys, std::size_t length, std::vector<std::int64_t>& order) {
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const Key *const x = keys.data() + std::size_t(a) * length, *const y = keys.data() + std::size_t(b) * length;
        std::size_t k = 0;
        while (k < length && x[k] == y[k]) ++k;
        return k < length && x[k] < y[k];
    });
}

/// Which of the rows start a new group when visited in `order`, and the group of each row.
template <class T>
std::vector<std::int64_t> group(const T* rows, std::int64_t length, const std::vector<std::int64_t>& order,
                                std::int64_t* inverse, std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> first;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const T* row = rows + order[i] * length;
        const T* const last = i == 0 ? nullptr : rows + order[i - 1] * length;
        // single elements are compared where they are: a call for each costs more than its work
        if (!last || !(length == 1 ? *row == *last : std::equal(row, row + length, last))) {
            first.push_back(order[i]);
            counts.push_back(0);
        }
        ++counts.back();
        inverse[order[i]] = std::int64_t(first.size()) - 1;
    }
    return first;
}

/// Results for `groups` distinct ones among n.
struct Groups {
    DistinctRows found;
    std::int64_t *first, *inverse, *counts;
    Groups(std::int64_t n, std::int64_t groups)
        : found{detail::empty_raw({groups}, kLong), detail::empty_raw({n}, kLong), detail::empty_raw({groups}, kLong)},
          first(host_data<std::int64_t>(found.first, "unique")),
          inverse(host_data<std::int64_t>(found.inverse, "unique")),
          counts(host_data<std::int64_t>(found.counts, "unique")) {}
};
/// The distinct elements of integers that lie so close together that a table of all numbers between them pays: what
/// sorting them would give, in three passes. None is less than `least` or more than `span` above it.
template <class T> DistinctRows unique_by_table(const T* p, std::int64_t n, T least, std::uint64_t span) {
    struct Entry {
        std::uint32_t count, first;
    };
    const auto place = [least](T v) { return std::size_t(std::uint64_t(v) - std::uint64_t(least)); };
    const Scratch memory((std::size_t(span) + 1) * sizeof(Entry));
    Entry *const table = memory.as<Entry>(), *const end = table + span + 1;
    std::fill(table, end, Entry{0, 0});
    std::int64_t groups = 0, rank = 0;
    for (std::int64_t i = n; i-- > 0;) { // backwards: the first one stays
        Entry& e = table[place(p[i])];
        groups += e.count == 0;
        ++e.count;
        e.first = std::uint32_t(i);
    }
    const Groups out(n, groups);
    for (Entry* e = table; e != end; ++e) {
        if (e->count == 0) continue;
        out.counts[rank] = std::int64_t(e->count);
        out.first[rank] = std::int64_t(e->first);
        e->count = std::uint32_t(rank++); // from now on its rank
    }
    for (std::int64_t i = 0; i < n; ++i) out.inverse[i] = std::int64_t(table[place(p[i])].count);
    return out.found;
}
/// The runs among sorted entries; `begins(before, entry)`: does the entry begin a new one?
template <class Entry, class Begins> DistinctRows runs_of(std::span<Entry> entries, const Begins& begins) {
    const auto n = std::int64_t(entries.size()), blocks = (n + row_block - 1) / row_block;
    const auto starts = [&](std::int64_t i) {
        return i == 0 || begins(entries[std::size_t(i - 1)], entries[std::size_t(i)]);
    };
    const auto each_block = [&](auto f) {
        parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t b = first; b < last; ++b) f(b, b * row_block, std::min(n, (b + 1) * row_block));
        });
    };
    std::vector<std::int64_t> before(std::size_t(blocks) + 1, 0); // runs that begin before each block
    each_block([&](std::int64_t b, std::int64_t from, std::int64_t to) {
        std::int64_t count = 0;
        for (std::int64_t i = from; i < to; ++i) count += starts(i);
        before[std::size_t(b) + 1] = count;
    });
    for (std::int64_t b = 0; b < blocks; ++b) before[std::size_t(b) + 1] += before[std::size_t(b)];
    const std::int64_t groups = before.back();
    const Groups out(n, groups);
    each_block([&](std::int64_t b, std::int64_t from, std::int64_t to) {
        std::int64_t rank = before[std::size_t(b)] - 1;
        for (std::int64_t i = from; i < to; ++i) {
            const auto place = std::int64_t(entries[std::size_t(i)].place);
            if (starts(i)) {
                out.first[++rank] = place;
                out.counts[rank] = i; // where it begins, for now
            }
            out.inverse[place] = rank;
        }
    });
    for (std::int64_t r = 0; r < groups; ++r) out.counts[r] = (r + 1 < groups ? out.counts[r + 1] : n) - out.counts[r];
    return out.found;
}
/// The same for integers whose table would be mostly empty: what they exceed the least one by is sorted by its digits.
template <class T> DistinctRows unique_by_digits(const T* p, std::int64_t n, T least) {
    KeyOrder<std::uint32_t> order(n);
    const auto entries = order.entries();
    parallel_for(0, n, 32768, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            entries[std::size_t(i)] = {std::uint32_t(std::uint64_t(p[i]) - std::uint64_t(least)), std::uint32_t(i)};
    });
    order.sort(Equals::AsTheyStood);
    return runs_of(order.entries(), [](const auto& a, const auto& b) { return a.key != b.key; });
}
/// The same for any numbers, by keys that compare as they do; NaN differs from NaN.
template <class T> DistinctRows unique_by_keys(const T* p, std::int64_t n) {
    KeyOrder<UnsignedOf<sizeof(T)>> order(n);
    const auto entries = order.entries();
    parallel_for(0, n, 32768, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) entries[std::size_t(i)] = {order_key(p[i]), std::uint32_t(i)};
    });
    order.sort(Equals::AsTheyStood);
    return runs_of(order.entries(),
                   [p](const auto& a, const auto& b) { return a.key != b.key || p[b.place] != p[b.place]; });
}
/// How far the greatest of n integers lies above the least one, and that one.
template <class T> std::uint64_t span_of(const T* p, std::int64_t n, T& least) {
    T greatest = least = p[0];
    for (std::int64_t i = 1; i < n; ++i) {
        least = std::min(least, p[i]);
        greatest = std::max(greatest, p[i]);
    }
    return std::uint64_t(greatest) - std::uint64_t(least);
}
} // namespace

DistinctRows unique(const char* op, const Tensor& rows, bool sort) {
    const std::int64_t n = rows.size(0), length = rows.size(1);
    DistinctRows found;
    dispatch_all(rows.scalar_type(), op, [&]<class T>() {
        const T* p = static_cast<const T*>(host_data(rows, op));
        if constexpr (std::is_integral_v<T>) {
            T least{};
            const bool numbers = sort && length == 1 && n > 0 && n <= RowOrder<T>::most;
            const std::uint64_t span = numbers ? span_of(p, n, least) : 0;
            if (numbers && span < 2 * std::uint64_t(n) + 256) {
                found = unique_by_table(p, n, least, span);
                return;
            }
            if (numbers && span <= std::numeric_limits<std::uint32_t>::max()) {
                found = unique_by_digits(p, n, least);
                return;
            }
        }
        if constexpr (requires(T a) { a < a; })
            if (sort && length == 1 && n <= RowOrder<T>::most) {
                found = unique_by_keys(p, n);
                return;
            }
        std::vector<std::int64_t> order(static_cast<std::size_t>(n)), counts;
        std::iota(order.begin(), order.end(), 0);
        if constexpr (requires(T a) { a < a; }) {
            if (sort) { // NaN counts as greatest
                std::vector<UnsignedOf<sizeof(T)>> keys(std::size_t(n * length));
                std::transform(p, p + n * length, keys.begin(), order_key<T>);
                order_rows(keys, std::size_t(length), order);
            }
        } else REEL_CHECK_NOT_IMPLEMENTED(!sort, op, ": complex numbers have no order");
        const Tensor inverse = detail::empty_raw({n}, kLong);
        const auto first = group(p, length, order, host_data<std::int64_t>(inverse, op), counts);
        found = {detail::tensor_of(first), inverse, detail::tensor_of(counts)};
    });
    return found;
}

} // namespace reel::cpu
