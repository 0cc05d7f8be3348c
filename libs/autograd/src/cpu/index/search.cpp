// Looking elements up: bisection, scans for what is not zero, groups of equal rows.
#include <reel/autograd/kernels/search.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/index/row_order.hpp"
#include "cpu/scratch.hpp"
#include "op/dispatch.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"
#include "tensor/raw.hpp"

namespace reel::cpu {

namespace {
/// Bisections side by side, none of which waits for another: `low` becomes how many elements of a row of `length` come
/// before. `before(lane, place)` compares; no branch depends on what it says, since nobody would foresee it.
template <std::size_t lanes, class Before> void bisect(std::int64_t length, std::int64_t (&low)[lanes], Before before) {
    std::int64_t left[lanes];
    for (std::size_t l = 0; l < lanes; ++l) low[l] = 0, left[l] = length;
    for (std::int64_t most = length; most > 0; most /= 2) // no lane has more left
        for (std::size_t l = 0; l < lanes; ++l) {
            const std::int64_t half = left[l] / 2, some = left[l] > 0;
            const std::int64_t on = some & std::int64_t(before(l, std::min(low[l] + half, length - 1)));
            low[l] += -on & (half + 1);
            left[l] = half - (on & ~left[l] & 1);
        }
}
} // namespace

void searchsorted(const char* op, const Tensor& out, const Tensor& sequence, const Tensor& values, const Tensor& order,
                  bool right) {
    constexpr std::int64_t lanes = 8;
    const std::int64_t* const perm = host_data_or_null<std::int64_t>(order, op);
    const std::int64_t length = sequence.size(-1);
    const std::int64_t per_row = values.dim() == 0 || values.size(-1) == 0 ? 1 : values.size(-1);
    const bool one_row = sequence.dim() == 1;
    dispatch_real(values.scalar_type(), op, [&]<class T>() {
        const T *all = static_cast<const T*>(host_data(sequence, op)),
                *v = static_cast<const T*>(host_data(values, op));
        std::int64_t* const o = host_data<std::int64_t>(out, op);
        const auto row_of = [=](std::int64_t i) { return one_row ? 0 : i / per_row * length; };
        const auto search = [&](std::int64_t first, std::int64_t some, auto element) {
            T wanted[lanes];
            std::int64_t row[lanes], low[lanes];
            for (std::int64_t l = 0; l < lanes; ++l) {
                const std::int64_t i = first + std::min(l, some - 1);
                wanted[l] = v[i], row[l] = row_of(i);
            }
            if (right)
                bisect(length, low,
                       [&](std::size_t l, std::int64_t at) { return !(element(row[l] + at) > wanted[l]); });
            else
                bisect(length, low,
                       [&](std::size_t l, std::int64_t at) { return !(element(row[l] + at) >= wanted[l]); });
            std::copy_n(low, some, o + first);
        };
        parallel_for(0, values.numel(), 4096, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; i += lanes) {
                const std::int64_t some = std::min(lanes, end - i);
                if (!perm) search(i, some, [all](std::int64_t at) -> const T& { return all[at]; });
                else
                    search(i, some, [=](std::int64_t at) -> const T& { // places count within the row
                        return all[at / length * length + perm[at]];
                    });
            }
        });
    });
}

namespace {
// Sorting is compiled for the widths of keys, which compare as the elements do, instead of for each type.
template <class Key> [[gnu::noinline]] void sort_keys(std::vector<Key>& keys) { std::sort(keys.begin(), keys.end()); }
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
} // namespace

void isin(const Tensor& out, const Tensor& elements, const Tensor& among, bool invert) {
    dispatch_real(elements.scalar_type(), "isin", [&]<class T>() {
        const T *p = static_cast<const T*>(host_data(elements, "isin")),
                *t = static_cast<const T*>(host_data(among, "isin"));
        std::vector<UnsignedOf<sizeof(T)>> known;
        for (std::int64_t i = 0; i < among.numel(); ++i)
            if (t[i] == t[i]) known.push_back(order_key(t[i])); // NaN equals nothing
        sort_keys(known);
        bool* const o = host_data<bool>(out, "isin");
        for (std::int64_t i = 0; i < elements.numel(); ++i)
            o[i] = (p[i] == p[i] && std::binary_search(known.begin(), known.end(), order_key(p[i]))) != invert;
    });
}

namespace {
/// True where elements differ from zero, row-major.
std::vector<char> truth(const char* op, const Tensor& t) {
    const Tensor x = detail::contiguous_raw(t);
    std::vector<char> out;
    detail::checked_reserve(op, "a mask", out, x.numel());
    out.resize(std::size_t(x.numel()));
    dispatch_all(x.scalar_type(), op, [&]<class T>() {
        const T* p = static_cast<const T*>(host_data(x, op));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = p[i] != T(0);
    });
    return out;
}
} // namespace

Tensor nonzero(const char* op, const Tensor& input, std::int64_t limit) {
    const std::vector<char> set = truth(op, input);
    std::int64_t found = 0;
    for (const bool b : set) found += b;
    if (limit >= 0) found = std::min(found, limit);
    const std::int64_t dims = input.dim();
    const Tensor out = detail::empty_raw({found, dims}, kLong);
    std::int64_t* row = host_data<std::int64_t>(out, op);
    if (dims == 0) return out;
    const std::int64_t width = input.sizes().back();
    Dims at(std::size_t(dims), 0);
    for (const char* line = set.data(); found > 0; line += width) {
        // every place is written, the next one over those that do not count: no branch that nobody foresees
        for (std::int64_t i = 0; i < width && found > 0; ++i) {
            for (std::int64_t d = 0; d + 1 < dims; ++d) row[d] = at[std::size_t(d)];
            row[dims - 1] = i;
            row += line[i] ? dims : 0;
            found -= line[i];
        }
        for (std::int64_t d = dims - 1; d-- > 0;) {
            if (++at[std::size_t(d)] < input.sizes()[std::size_t(d)]) break;
            at[std::size_t(d)] = 0;
        }
    }
    return out;
}

namespace {

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

} // namespace

namespace {
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
/// The same for integers whose table would be mostly empty: what they exceed the least one by is sorted by its digits.
template <class T> DistinctRows unique_by_digits(const T* p, std::int64_t n, T least) {
    KeyOrder<std::uint32_t> order(n);
    auto& entries = order.entries();
    for (std::int64_t i = 0; i < n; ++i)
        entries[std::size_t(i)] = {std::uint32_t(std::uint64_t(p[i]) - std::uint64_t(least)), std::uint32_t(i)};
    order.sort(Equals::AsTheyStood);
    std::int64_t groups = 1, rank = -1;
    for (std::size_t i = 1; i < entries.size(); ++i) groups += entries[i].key != entries[i - 1].key;
    const Groups out(n, groups);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (i == 0 || entries[i].key != entries[i - 1].key) {
            out.first[++rank] = std::int64_t(entries[i].place);
            out.counts[rank] = 0;
        }
        ++out.counts[rank];
        out.inverse[entries[i].place] = rank;
    }
    return out.found;
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
        std::vector<std::int64_t> order(static_cast<std::size_t>(n)), counts;
        std::iota(order.begin(), order.end(), 0);
        if constexpr (requires(T a) { a < a; }) {
            if (sort && length == 1 && n <= RowOrder<T>::most) {
                RowOrder<T> sorted(n);
                sorted(p, false, Equals::AsTheyStood,
                       [&](std::int64_t rank, std::int64_t place) { order[std::size_t(rank)] = place; });
            } else if (sort) { // NaN counts as greatest
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
