// Looking elements up: bisection, scans for what is not zero.
#include <reel/autograd/kernels/search.hpp>

#include <algorithm>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/index/row_order.hpp"
#include "cpu/reduce/row_kernels.hpp"
#include "cpu/rows.hpp"
#include "cpu/scratch.hpp"
#include "op/dispatch.hpp"
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
// Compiled for the widths of keys, which compare as the elements do, instead of for each type.
template <class Key> [[gnu::noinline]] void sort_keys(std::vector<Key>& keys) { std::sort(keys.begin(), keys.end()); }
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
        parallel_for(0, elements.numel(), 4096, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                o[i] = (p[i] == p[i] && std::binary_search(known.begin(), known.end(), order_key(p[i]))) != invert;
        });
    });
}

namespace {
/// True where elements differ from zero, row-major.
void truth(const char* op, const Tensor& t, char* out) {
    const Tensor x = detail::contiguous_raw(t);
    dispatch_all(x.scalar_type(), op, [&]<class T>() {
        const T* p = static_cast<const T*>(host_data(x, op));
        parallel_for(0, x.numel(), 32768, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) out[i] = p[i] != T(0);
        });
    });
}
/// Writes the coordinates of the first `wanted` set elements from `from` on to `row`.
void write_places(const char* set, IntArrayRef sizes, std::int64_t from, std::int64_t wanted, std::int64_t* row) {
    const auto dims = std::int64_t(sizes.size()), width = sizes.back();
    Dims at(sizes.size(), 0);
    for (std::int64_t d = dims, rest = from; d-- > 0; rest /= sizes[std::size_t(d)])
        at[std::size_t(d)] = rest % sizes[std::size_t(d)];
    const char* line = set + from - at.back();
    for (std::int64_t i = at.back(); wanted > 0; i = 0, line += width) {
        // every place is written, the next one over those that do not count: no branch that nobody foresees
        for (; i < width && wanted > 0; ++i) {
            for (std::int64_t d = 0; d + 1 < dims; ++d) row[d] = at[std::size_t(d)];
            row[dims - 1] = i;
            row += line[i] ? dims : 0;
            wanted -= line[i];
        }
        for (std::int64_t d = dims - 1; d-- > 0;) {
            if (++at[std::size_t(d)] < sizes[std::size_t(d)]) break;
            at[std::size_t(d)] = 0;
        }
    }
}
} // namespace

Tensor nonzero(const char* op, const Tensor& input, std::int64_t limit) {
    const std::int64_t n = input.numel(), dims = input.dim(), blocks = (n + row_block - 1) / row_block;
    const Scratch memory{std::size_t(n)};
    char* const set = memory.as<char>();
    truth(op, input, set);
    // how many are set before each block
    std::vector<std::int64_t> before(std::size_t(blocks) + 1, 0);
    parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = begin; b < end; ++b) {
            const std::int64_t from = b * row_block, to = std::min(n, from + row_block);
            before[std::size_t(b) + 1] =
                std::int64_t(row_kernels<bool>.whole_sum(reinterpret_cast<const bool*>(set) + from, to - from));
        }
    });
    for (std::int64_t b = 0; b < blocks; ++b) before[std::size_t(b) + 1] += before[std::size_t(b)];
    const std::int64_t found = limit < 0 ? before.back() : std::min(before.back(), limit);
    const Tensor out = detail::empty_raw({found, dims}, kLong);
    std::int64_t* const rows = host_data<std::int64_t>(out, op);
    if (dims == 0) return out;
    parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = begin; b < end; ++b) {
            const std::int64_t first = before[std::size_t(b)], last = std::min(found, before[std::size_t(b) + 1]);
            if (first < last) write_places(set, input.sizes(), b * row_block, last - first, rows + first * dims);
        }
    });
    return out;
}

} // namespace reel::cpu
