// Borders taken from inside: rows are copied, or added up, by their stretches of neighbours.
#include <reel/autograd/kernels/pad.hpp>

#include <algorithm>
#include <cstring>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/copy_bytes.hpp"
#include "cpu/rows.hpp"
#include "cpu/shape/row_updates.hpp"
#include "cpu/walk.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// `count` elements from `out` on of a padded row show as many from `in` on.
struct Stretch {
    std::int64_t out, in, count;
};
std::vector<Stretch> stretches_of(const PaddedDim& d) {
    std::vector<Stretch> all;
    for (std::int64_t i = 0; i < std::int64_t(d.from.size()); ++i) {
        const std::int64_t at = d.from[std::size_t(i)];
        if (!all.empty() && all.back().in + all.back().count == at) ++all.back().count;
        else all.push_back({i, at, 1});
    }
    return all;
}
std::int64_t padded(const PaddedDims& p, int d) { return std::int64_t(p.d[d].from.size()); }

/// For every element of a dimension the elements of the padded one that show it, one after the other.
struct Shown {
    std::vector<std::int64_t> start, by;
    explicit Shown(const PaddedDim& d) : start(std::size_t(d.n) + 1), by(d.from.size()) {
        for (const std::int64_t at : d.from) ++start[std::size_t(at) + 1];
        for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
        std::vector<std::int64_t> next(start);
        for (std::size_t i = 0; i < by.size(); ++i) by[std::size_t(next[std::size_t(d.from[i])]++)] = std::int64_t(i);
    }
    /// Calls `f` with each that shows element `i`.
    template <class F> void each(std::int64_t i, F f) const {
        for (std::int64_t k = start[std::size_t(i)]; k < start[std::size_t(i) + 1]; ++k) f(by[std::size_t(k)]);
    }
};
template <class T> void add(T* to, const T* from, std::int64_t n) {
    if constexpr (std::is_floating_point_v<T>)
        if (n > 8) return row_updates<T>.add(to, from, n);
    for (std::int64_t i = 0; i < n; ++i) to[i] = T(to[i] + from[i]);
}

} // namespace

void pad(const Tensor& out, const Tensor& x, const PaddedDims& p) {
    if (out.numel() == 0) return;
    const std::int64_t n = padded(p, 2), width = p.d[2].n, rows = padded(p, 1), depth = padded(p, 0);
    const std::vector<Stretch> stretches = stretches_of(p.d[2]);
    dispatch_size(x.itemsize(), [&]<class T>() {
        T* const to = static_cast<T*>(host_data(out, "pad"));
        const T* const from = static_cast<const T*>(host_data(x, "pad"));
        parallel_for(0, out.numel() / n, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            std::int64_t line = begin % rows, level = begin / rows % depth, plane = begin / rows / depth;
            for (std::int64_t r = begin; r < end; ++r) {
                const std::int64_t row =
                    (plane * p.d[0].n + p.d[0].from[std::size_t(level)]) * p.d[1].n + p.d[1].from[std::size_t(line)];
                T* const o = to + r * n;
                const T* const i = from + row * width;
                for (const Stretch& s : stretches)
                    if (s.count == 1) o[s.out] = i[s.in];
                    else copy_bytes(o + s.out, i + s.in, std::size_t(s.count) * sizeof(T));
                if (++line < rows) continue;
                line = 0;
                if (++level < depth) continue;
                level = 0;
                ++plane;
            }
        });
    });
}

void pad_adjoint(const Tensor& x, const Tensor& out, const PaddedDims& p) {
    if (x.numel() == 0) return;
    const std::int64_t n = padded(p, 2), width = p.d[2].n, rows = padded(p, 1), depth = padded(p, 0);
    const std::vector<Stretch> stretches = stretches_of(p.d[2]);
    const Shown levels(p.d[0]), lines(p.d[1]);
    dispatch_floating_complex(x.scalar_type(), "pad", [&]<class T>() {
        T* const to = host_data<T>(x, "pad");
        const T* const from = host_data<T>(out, "pad");
        parallel_for(0, x.numel() / width, row_grain(width), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
                const std::int64_t line = r % p.d[1].n, level = r / p.d[1].n % p.d[0].n,
                                   plane = r / p.d[1].n / p.d[0].n;
                T* const o = to + r * width;
                std::fill_n(o, width, T(0));
                levels.each(level, [&](std::int64_t l) {
                    lines.each(line, [&](std::int64_t k) {
                        const T* const i = from + ((plane * depth + l) * rows + k) * n;
                        for (const Stretch& s : stretches) add(o + s.in, i + s.out, s.count);
                    });
                });
            }
        });
    });
}

} // namespace reel::cpu
