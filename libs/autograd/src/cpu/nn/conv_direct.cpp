// Convolutions as matrix products whose right factor is never stored: a few images, or rows of one image, are copied
// with their padding into the cache, and the inner loops read the patches there. A transposed convolution of stride s
// is s^d convolutions of stride 1, each with the taps that reach its places.
#include "cpu/nn/conv_direct.hpp"

#include <algorithm>
#include <vector>

#include <reel/autograd/parallel.hpp>

#include "cpu/nn/conv_slabs.hpp"

namespace reel::cpu {

namespace {

using namespace direct;

constexpr std::int64_t depth = 640;       // a panel of so many taps leaves room for the weights in the cache
constexpr std::int64_t shallow = 96;      // the same for the first-level cache, where it is read only a few times
constexpr std::int64_t weight_block = 96; // positions whose gradients stay in the first-level cache
constexpr std::int64_t few_tiles = 4;     // too little work on a panel to pay for packing it
constexpr double worth_a_thread = 500000; // multiplications

std::int64_t round_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

/// target[m] = bias[m] + sum over (q, taps) of weight(m, q, tap) * source[q]: the matrix product of the packed weights
/// with the patches.
template <class T> struct Correlation {
    const ConvGeometry& g;
    const Axes& a;
    bool adjoint;
    std::int64_t groups = g.groups, sources = (adjoint ? g.out_channels : g.in_channels) / groups,
                 results = (adjoint ? g.in_channels : g.out_channels) / groups;
    std::int64_t source_size = a[0].source * a[1].source * a[2].source,
                 target_size = a[0].target * a[1].target * a[2].target;
    std::int64_t taps = std::int64_t(a[0].taps.size() * a[1].taps.size() * a[2].taps.size()), k = sources * taps;
    const ConvKernels<T>& kernel = conv_kernels<T>;
    std::int64_t tiles = (results + kernel.rows - 1) / kernel.rows;

    template <class F> void each_tap(F f) const {
        for (std::int64_t q = 0; q < sources; ++q)
            for (const Axis::Tap& z : a[0].taps)
                for (const Axis::Tap& y : a[1].taps)
                    for (const Axis::Tap& x : a[2].taps) f(q, z, y, x);
    }
    /// [group][tile][k][row of the tile]
    void pack_weights(const T* w, T* to) const {
        const std::int64_t size = g.kernel_size(), cg = g.channels_per_group(), og = g.out_channels / groups;
        const std::int64_t next_row = adjoint ? size : cg * size, next_source = adjoint ? cg * size : size;
        std::vector<std::int64_t> tap;
        for (const Axis::Tap& z : a[0].taps)
            for (const Axis::Tap& y : a[1].taps)
                for (const Axis::Tap& x : a[2].taps)
                    tap.push_back((z.index * g.kernel[1] + y.index) * g.kernel[2] + x.index);
        const std::int64_t rows = kernel.rows, grain = 65536 / std::max<std::int64_t>(rows * k, 1);
        parallel_for(0, groups * tiles, std::max<std::int64_t>(grain, 1), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                const std::int64_t first = t % tiles * rows, used = std::min(rows, results - first);
                const T* from = w + t / tiles * og * cg * size + first * next_row;
                T* out = to + t * k * rows;
                for (std::int64_t q = 0; q < sources; ++q, from += next_source)
                    for (const std::int64_t at : tap) {
                        for (std::int64_t r = 0; r < used; ++r) out[r] = from[r * next_row + at];
                        for (std::int64_t r = used; r < rows; ++r) out[r] = T(0);
                        out += rows;
                    }
            }
        });
    }

    void run(const T* source, const T* w, const T* bias, T* target) const {
        if (a[0].count * a[1].count * a[2].count == 0) return;
        const Scratch weights(std::size_t(groups * tiles * k * kernel.rows) * sizeof(T));
        pack_weights(w, weights.as<T>());
        std::vector<T> start(std::size_t(groups * tiles * kernel.rows), T(0));
        for (std::int64_t c = 0; bias && c < groups * results; ++c)
            start[std::size_t(c / results * tiles * kernel.rows + c % results)] = bias[c];
        const Slabs<T> slabs(a, g.batch, sources);
        const double work = double(results * groups) * double(std::max<std::int64_t>(k, 1)) *
                            double(slabs.rows * a[0].count * a[2].count);
        const std::int64_t grain = std::max<std::int64_t>(1, std::int64_t(worth_a_thread / work));
        parallel_for(0, slabs.units(), grain, [&](std::int64_t begin, std::int64_t end) {
            const Padded<T> whole(a, sources, slabs.rows);
            const std::int64_t limit = tiles > few_tiles ? depth : shallow, parts = (k + limit - 1) / limit,
                               deepest = parts ? (k + parts - 1) / parts : 0;
            PaddedImages<T> images(slabs.images, whole.size());
            const Scratch panel(std::size_t(deepest * kernel.positions + kernel.slack) * sizeof(T)),
                part(std::size_t(tiles * kernel.rows * kernel.positions) * sizeof(T));
            std::vector<std::int64_t> offsets(static_cast<std::size_t>(k));
            std::vector<Row> rows;
            slabs.each(begin, end, [&](std::int64_t n0, std::int64_t n, std::int64_t row0, std::int64_t count) {
                const Padded<T> padded(a, sources, count);
                T* image = images.laid_out(count);
                std::size_t at = 0;
                each_tap([&](std::int64_t q, const Axis::Tap& z, const Axis::Tap& y, const Axis::Tap& x) {
                    offsets[at++] = padded.tap(q, z.offset, y.offset, x.offset);
                });
                list_rows(a, n, row0, count, padded.size(), padded.pitch[0] * padded.plane_size,
                          padded.pitch[1] * padded.row_size, groups * results * target_size, rows);
                for (std::int64_t group = 0; group < groups; ++group) {
                    for (std::int64_t i = 0; i < n && k > 0; ++i)
                        padded.fill(source + ((n0 + i) * groups + group) * sources * source_size, row0,
                                    image + i * padded.size());
                    multiply(image, offsets.data(), deepest, rows, weights.as<T>() + group * tiles * k * kernel.rows,
                             start.data() + group * tiles * kernel.rows, panel.as<T>(), part.as<T>(),
                             target + (n0 * groups + group) * results * target_size);
                }
            });
        });
    }
    /// Panel by panel of taps; what all but the last give stays in `part`, which the cache keeps.
    void packed(const T* image, const std::int64_t* offsets, std::int64_t deepest, const std::vector<ConvRun>& runs,
                std::int64_t filled, const T* weights, const T* start, T* panel, T* part, T* to,
                std::int64_t ld) const {
        std::int64_t k0 = 0;
        do {
            const std::int64_t n = std::min(deepest, k - k0);
            kernel.pack(image, offsets + k0, n, runs.data(), std::int64_t(runs.size()), filled, panel);
            T* out = k0 + n < k ? part : to;
            const std::int64_t ld_out = k0 + n < k ? kernel.positions : ld;
            for (std::int64_t t = 0; t < tiles; ++t)
                kernel.tile(n, weights + (t * k + k0) * kernel.rows, panel, k0 == 0 ? start + t * kernel.rows : nullptr,
                            part + t * kernel.rows * kernel.positions, out + t * kernel.rows * ld_out, ld_out,
                            results - t * kernel.rows);
            k0 += n;
        } while (k0 < k);
    }
    void multiply(const T* image, const std::int64_t* offsets, std::int64_t deepest, const std::vector<Row>& rows,
                  const T* weights, const T* start, T* panel, T* part, T* target) const {
        const std::int64_t step = a[2].step;
        if (results == 1 && step == 1) { // nobody else reads a panel
            for (const Row& r : rows) kernel.line(k, weights, image + r.src, offsets, *start, target + r.dst, r.length);
            return;
        }
        each_block(rows, step, kernel.positions,
                   [&](const std::vector<ConvRun>& runs, const std::vector<std::int64_t>& dst, std::int64_t filled) {
                       bool direct = step == 1 && filled == kernel.positions;
                       for (std::size_t r = 0; direct && r < runs.size(); ++r) direct = dst[r] == dst[0] + runs[r].at;
                       T* to = direct ? target + dst[0] : part;
                       const std::int64_t ld = direct ? target_size : kernel.positions;
                       if (tiles > few_tiles ||
                           !kernel.tiles_in_place(k, weights, image, offsets, runs.data(), std::int64_t(runs.size()),
                                                  filled, start, to, ld, results))
                           packed(image, offsets, deepest, runs, filled, weights, start, panel, part, to, ld);
                       for (std::int64_t m = 0; !direct && m < results; ++m)
                           for (std::size_t r = 0; r < runs.size(); ++r) {
                               const T* in = part + m * kernel.positions + runs[r].at;
                               T* out = target + m * target_size + dst[r];
                               for (std::int32_t i = 0; i < runs[r].length; ++i) out[i * step] = in[i];
                           }
                   });
    }
};

} // namespace

template <class T> void direct_forward(const ConvGeometry& g, const T* x, const T* w, const T* bias, T* y) {
    Axes a;
    correlation(g, a);
    Correlation<T>{g, a, false}.run(x, w, bias, y);
}

template <class T> void direct_input(const ConvGeometry& g, const T* y, const T* w, const T* bias, T* x) {
    std::int64_t first[3]; // a stride beyond the image leaves most remainders without a place
    for (first[0] = 0; first[0] < std::min(g.stride[0], g.in[0]); ++first[0])
        for (first[1] = 0; first[1] < std::min(g.stride[1], g.in[1]); ++first[1])
            for (first[2] = 0; first[2] < std::min(g.stride[2], g.in[2]); ++first[2]) {
                Axes a;
                transposed(g, first, a);
                Correlation<T>{g, a, true}.run(y, w, bias, x);
            }
}

namespace {
template <class T> struct WeightGradient {
    const ConvGeometry& g;
    const Axes& a;
    const ConvKernels<T>& kernel = conv_kernels<T>;
    std::int64_t cg = g.channels_per_group(), og = g.out_channels / g.groups, taps = g.kernel_size(), l = g.out_size(),
                 lanes = round_up(og, kernel.lanes), row = a[0].count * a[2].count;
    bool lines = cg == 1 && og == 1; ///< the lanes of a sum are parts of it, else channels

    /// Adds what the lines of `n` images give for one channel of x and y.
    void add_lines(const std::vector<Row>& rows, const T* image, const std::vector<std::int64_t>& offsets, const T* y,
                   T* sum) const {
        for (const Row& r : rows) kernel.line_products(taps, image + r.src, offsets.data(), y + r.dst, r.length, sum);
    }
    /// Adds what some units of `q` channels of x from `q0` on give, to sum [group][channel and tap][lanes].
    void add(const Slabs<T>& slabs, std::int64_t begin, std::int64_t end, std::int64_t q0, std::int64_t q, const T* x,
             const T* y, T* sum) const {
        const Padded<T> whole(a, q, slabs.rows);
        PaddedImages<T> images(slabs.images, whole.size());
        const Scratch grad(std::size_t(slabs.images * slabs.rows * row * lanes) * sizeof(T));
        std::vector<std::int64_t> offsets, places;
        std::vector<Row> rows;
        slabs.each(begin, end, [&](std::int64_t n0, std::int64_t n, std::int64_t row0, std::int64_t count) {
            const Padded<T> padded(a, q, count);
            T* image = images.laid_out(count);
            offsets.clear();
            for (std::int64_t c = 0; c < q; ++c)
                for (const Axis::Tap& tz : a[0].taps)
                    for (const Axis::Tap& ty : a[1].taps)
                        for (const Axis::Tap& tx : a[2].taps)
                            offsets.push_back(padded.tap(c, tz.offset, ty.offset, tx.offset));
            list_rows(a, n, row0, count, padded.size(), padded.pitch[0] * padded.plane_size,
                      padded.pitch[1] * padded.row_size, lines ? g.groups * l : l, rows);
            places.clear();
            for (const Row& r : rows)
                for (std::int64_t i = 0; !lines && i < r.length; ++i) places.push_back(r.src + i);
            for (std::int64_t group = 0; group < g.groups; ++group) {
                for (std::int64_t i = 0; i < n; ++i) {
                    padded.fill(x + (((n0 + i) * g.groups + group) * cg + q0) * g.in_size(), row0,
                                image + i * padded.size());
                    if (lines) continue;
                    kernel.transpose(y + ((n0 + i) * g.groups + group) * og * l + row0 * row, l, og, count * row,
                                     grad.as<T>() + i * count * row * lanes, lanes);
                }
                if (lines) {
                    add_lines(rows, image, offsets, y + (n0 * g.groups + group) * l, sum + group * taps * lanes);
                    continue;
                }
                const std::int64_t all = std::int64_t(places.size()),
                                   blocks = std::max<std::int64_t>(1, (all + weight_block / 2) / weight_block),
                                   block = (all + blocks - 1) / blocks;
                for (std::int64_t p = 0; p < all; p += block)
                    kernel.weight(image, offsets.data(), q * taps, places.data() + p, std::min(block, all - p),
                                  grad.as<T>() + p * lanes, lanes, sum + (group * cg + q0) * taps * lanes);
            }
        });
    }

    void run(const T* x, const T* y, T* w) const {
        const std::int64_t k = cg * taps, size = g.groups * k * lanes;
        // As many partial sums, of units next to each other, and as many shares of the channels as the shape says, so
        // that the bits do not depend on the threads: few sums where each would have few places, and shares whose sums
        // stay in the cache.
        const double work = double(g.out_channels) * double(k) * double(l) * double(g.batch);
        const std::int64_t jobs = std::clamp<std::int64_t>(std::int64_t(work / worth_a_thread), 1, 8),
                           wanted = std::min(jobs, std::max<std::int64_t>(1, l * g.batch / 1024)),
                           shares = std::clamp((jobs + wanted - 1) / wanted,
                                               std::min(cg, k * lanes * std::int64_t(sizeof(T)) / cached + 1), cg),
                           channels = (cg + shares - 1) / shares;
        const Slabs<T> slabs(a, g.batch, channels);
        const std::int64_t parts = std::min(wanted, slabs.units()), step = (slabs.units() + parts - 1) / parts;
        const Scratch sums(std::size_t(parts * size) * sizeof(T));
        std::fill_n(sums.as<T>(), parts * size, T(0));
        parallel_for(0, parts * shares, 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t j = first; j < last; ++j) {
                const std::int64_t p = j / shares, q = j % shares * channels;
                if (q < cg)
                    add(slabs, p * step, std::min(slabs.units(), (p + 1) * step), q, std::min(channels, cg - q), x, y,
                        sums.as<T>() + p * size);
            }
        });
        // Rows of w, some taps at a time: as many lines of the sums as share a set of the cache.
        constexpr std::int64_t some = 8;
        const std::int64_t grain = std::max<std::int64_t>(1, 8192 / (og * parts));
        parallel_for(0, g.groups * ((k + some - 1) / some), grain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t b = begin; b < end; ++b) {
                const std::int64_t blocks = (k + some - 1) / some, group = b / blocks, i0 = b % blocks * some,
                                   i1 = std::min(k, i0 + some);
                T* sum = sums.as<T>() + group * k * lanes;
                for (std::int64_t p = 1; p < parts; ++p)
                    for (std::int64_t i = i0 * lanes; i < i1 * lanes; ++i) sum[i] += sum[p * size + i];
                for (std::int64_t i = i0; lines && i < i1; ++i)
                    for (std::int64_t o = 1; o < lanes; ++o) sum[i * lanes] += sum[i * lanes + o];
                for (std::int64_t o = 0; o < og; ++o)
                    for (std::int64_t i = i0; i < i1; ++i) w[(group * og + o) * k + i] = sum[i * lanes + o];
            }
        });
    }
};
} // namespace

template <class T> void direct_weight(const ConvGeometry& g, const T* x, const T* y, T* w) {
    if (g.batch * g.out_size() == 0) {
        std::fill_n(w, g.out_channels * g.channels_per_group() * g.kernel_size(), T(0));
        return;
    }
    Axes a;
    correlation(g, a);
    WeightGradient<T>{g, a}.run(x, y, w);
}

template void direct_forward(const ConvGeometry&, const float*, const float*, const float*, float*);
template void direct_forward(const ConvGeometry&, const double*, const double*, const double*, double*);
template void direct_input(const ConvGeometry&, const float*, const float*, const float*, float*);
template void direct_input(const ConvGeometry&, const double*, const double*, const double*, double*);
template void direct_weight(const ConvGeometry&, const float*, const float*, float*);
template void direct_weight(const ConvGeometry&, const double*, const double*, double*);

} // namespace reel::cpu
