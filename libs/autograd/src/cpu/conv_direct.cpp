// Convolutions as matrix products whose right factor is never stored: a few images, or rows of one image, are copied
// with their padding into the cache, and the inner loops read the patches there. A transposed convolution of stride s
// is s^d convolutions of stride 1, each with the taps that reach its places.
#include "cpu/conv_direct.hpp"

#include <algorithm>
#include <vector>

#include <reel/autograd/parallel.hpp>

#include "cpu/conv_kernels.hpp"
#include "cpu/scratch.hpp"

namespace reel::cpu {

namespace {

constexpr std::int64_t cached = 384 << 10; // bytes of padded image that share the cache with weights and panels
constexpr std::int64_t depth = 128;        // a panel of so many taps stays in the first-level cache
constexpr std::int64_t weight_block = 96;  // positions whose gradients stay in the first-level cache
constexpr std::int64_t few_tiles = 4;      // too little work on a panel to pay for packing it
constexpr double worth_a_thread = 500000;  // multiplications

std::int64_t round_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

/// One spatial dimension of a correlation: place p of the result, p < count, is `first + p * step` of the target and
/// reads place `p * stride + tap.offset` of the source.
struct Axis {
    struct Tap {
        std::int64_t index, offset; ///< of the kernel
    };
    std::vector<Tap> taps;
    std::int64_t count = 0, stride = 1, first = 0, step = 1, source = 1, target = 1, low = 0, reach = 1;

    void close() {
        if (taps.empty()) return;
        std::int64_t high = low = taps[0].offset;
        for (const Tap& t : taps) low = std::min(low, t.offset), high = std::max(high, t.offset);
        reach = high - low + 1;
    }
    /// Between the copies of what neighbouring places read.
    std::int64_t pitch() const { return std::min(stride, reach); }
    /// The source's place for one of the copy.
    std::int64_t read(std::int64_t i) const {
        const std::int64_t p = pitch();
        return low + (p == stride ? i : i / p * stride + i % p);
    }
};
using Axes = Axis[3];

void correlation(const ConvGeometry& g, Axes& a) {
    for (int d = 0; d < 3; ++d) {
        for (std::int64_t k = 0; k < g.kernel[d]; ++k) a[d].taps.push_back({k, k * g.dilation[d] - g.pad[d]});
        a[d].count = a[d].target = g.out[d];
        a[d].source = g.in[d];
        a[d].stride = g.stride[d];
        a[d].close();
    }
}
/// The places of a transposed convolution's result with remainders `rest` by the strides, counted with the padding.
void transposed(const ConvGeometry& g, const std::int64_t (&rest)[3], Axes& a) {
    for (int d = 0; d < 3; ++d) {
        const std::int64_t s = g.stride[d];
        a[d].source = g.out[d];
        a[d].target = g.in[d];
        a[d].step = s;
        a[d].first = ((rest[d] - g.pad[d]) % s + s) % s;
        a[d].count = a[d].first < g.in[d] ? (g.in[d] - a[d].first + s - 1) / s : 0;
        for (std::int64_t k = 0; k < g.kernel[d]; ++k) {
            const std::int64_t at = a[d].first + g.pad[d] - k * g.dilation[d];
            if (at % s == 0) a[d].taps.push_back({k, at / s});
        }
        a[d].close();
    }
}

/// The padded copy of what some rows of places of one image read: per channel and plane, rows, each split by remainder
/// of the stride so that neighbouring places read neighbours. What no tap reads is left out.
template <class T> struct Padded {
    const Axes& a;
    std::int64_t channels, pitch[3], planes, rows, width, row_size, plane_size, channel_size;

    Padded(const Axes& axes, std::int64_t channel_count, std::int64_t result_rows)
        : a(axes), channels(channel_count), pitch{a[0].pitch(), a[1].pitch(), a[2].pitch()},
          planes((a[0].count - 1) * pitch[0] + a[0].reach), rows((result_rows - 1) * pitch[1] + a[1].reach),
          width(a[2].count + (a[2].reach - 1) / a[2].stride), row_size(pitch[2] * width), plane_size(rows * row_size),
          channel_size(planes * plane_size) {}

    std::int64_t size() const { return channels * channel_size; }
    std::int64_t tap(std::int64_t c, std::int64_t z, std::int64_t y, std::int64_t x) const {
        x -= a[2].low;
        return c * channel_size + (z - a[0].low) * plane_size + (y - a[1].low) * row_size + x % a[2].stride * width +
               x / a[2].stride;
    }

    /// Writes what lies inside of the image, and rows outside; the places left and right of it stay as they are: zeros.
    void fill(const T* image, std::int64_t row0, T* to) const {
        const std::int64_t s = a[2].stride, n = a[2].source;
        const auto& copy = conv_kernels<T>.copy;
        for (std::int64_t f = 0; f < pitch[2]; ++f) {
            const std::int64_t from = f + a[2].low;
            const std::int64_t begin = std::clamp<std::int64_t>(from < 0 ? (s - 1 - from) / s : 0, 0, width),
                               end = std::clamp<std::int64_t>(from < n ? (n - from + s - 1) / s : 0, begin, width);
            const std::int64_t column = from + begin * s, length = end - begin;
            T* out = to + f * width + begin;
            for (std::int64_t c = 0; c < channels; ++c)
                for (std::int64_t z = 0; z < planes; ++z, out += plane_size) {
                    const std::int64_t iz = a[0].read(z), top = a[1].low + row0 * a[1].stride;
                    const T* plane = image + (c * a[0].source + iz) * a[1].source * n + column;
                    if (iz < 0 || iz >= a[0].source) {
                        for (std::int64_t y = 0; y < rows; ++y) std::fill_n(out + y * row_size, length, T(0));
                    } else if (pitch[1] == a[1].stride) {
                        const std::int64_t first = std::clamp<std::int64_t>(-top, 0, rows),
                                           last = std::clamp<std::int64_t>(a[1].source - top, first, rows);
                        for (std::int64_t y = 0; y < first; ++y) std::fill_n(out + y * row_size, length, T(0));
                        copy(plane + (top + first) * n, n, last - first, length, s, out + first * row_size, row_size);
                        for (std::int64_t y = last; y < rows; ++y) std::fill_n(out + y * row_size, length, T(0));
                    } else {
                        for (std::int64_t y = 0; y < rows; ++y) {
                            const std::int64_t iy = a[1].read(y) + row0 * a[1].stride;
                            if (iy < 0 || iy >= a[1].source) std::fill_n(out + y * row_size, length, T(0));
                            else copy(plane + iy * n, n, 1, length, s, out + y * row_size, row_size);
                        }
                    }
                }
        }
    }
};

/// Memory for padded images, cleared where their layout changes.
template <class T> class PaddedImages {
public:
    PaddedImages(std::int64_t images, std::int64_t size)
        : size_(images * size + ConvKernels<T>::slack), memory_(std::size_t(size_) * sizeof(T)) {}
    T* laid_out(std::int64_t rows) {
        if (rows != rows_) std::fill_n(data(), size_, T(0));
        rows_ = rows;
        return data();
    }

private:
    T* data() { return memory_.template as<T>(); }
    std::int64_t size_, rows_ = -1;
    Scratch memory_;
};

/// A row of places: where it reads in the padded images and where it lands.
struct Row {
    std::int64_t src, dst, length;
};

/// The work on one group of channels, unit by unit: several whole images, or some rows of one.
template <class T> struct Slabs {
    Axes const& a;
    std::int64_t batch, rows, per_image, images;

    Slabs(const Axes& axes, std::int64_t batch_size, std::int64_t channels)
        : a(axes), batch(batch_size), rows(a[1].count) {
        const auto bytes = [&](std::int64_t r) { return Padded<T>(a, channels, r).size() * std::int64_t(sizeof(T)); };
        const std::int64_t whole = std::max<std::int64_t>(bytes(rows), 1);
        per_image = 1;
        if (a[0].count == 1 && whole > cached) {
            const std::int64_t row = std::max<std::int64_t>(1, whole / rows);
            rows = std::max<std::int64_t>(std::min(rows, 2 * a[1].reach / a[1].stride + 1), cached / row);
            rows = std::min(rows, a[1].count);
            per_image = (a[1].count + rows - 1) / rows;
            rows = (a[1].count + per_image - 1) / per_image;
            per_image = (a[1].count + rows - 1) / rows;
        }
        images = per_image > 1 ? 1 : std::clamp<std::int64_t>(cached / whole, 1, std::max<std::int64_t>(batch, 1));
    }
    std::int64_t units() const { return batch * per_image; }
    /// Calls `f(first image, images, first row, rows)` over the units [begin, end).
    template <class F> void each(std::int64_t begin, std::int64_t end, F f) const {
        for (std::int64_t u = begin; u < end;) {
            if (per_image > 1) {
                const std::int64_t r = u % per_image * rows;
                f(u / per_image, std::int64_t(1), r, std::min(rows, a[1].count - r));
                ++u;
            } else {
                const std::int64_t n = std::min(images, end - u);
                f(u, n, std::int64_t(0), a[1].count);
                u += n;
            }
        }
    }
};

/// Rows of places of `n` images, joined where both sides go on.
void list_rows(const Axes& a, std::int64_t n, std::int64_t row0, std::int64_t rows, std::int64_t padded_size,
               std::int64_t plane, std::int64_t line, std::int64_t target_size, std::vector<Row>& out) {
    out.clear();
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t z = 0; z < a[0].count; ++z)
            for (std::int64_t y = 0; y < rows; ++y) {
                const std::int64_t src = i * padded_size + z * plane + y * line,
                                   dst = i * target_size +
                                         ((a[0].first + z * a[0].step) * a[1].target + a[1].first +
                                          (row0 + y) * a[1].step) *
                                             a[2].target +
                                         a[2].first;
                if (!out.empty() && a[2].step == 1 && out.back().src + out.back().length == src &&
                    out.back().dst + out.back().length == dst)
                    out.back().length += a[2].count;
                else out.push_back({src, dst, a[2].count});
            }
}

/// Cuts rows into pieces of at most `size` places altogether and calls `f(runs, where they land, places)` for each.
template <class F> void each_block(const std::vector<Row>& rows, std::int64_t step, std::int64_t size, F f) {
    std::vector<ConvRun> runs;
    std::vector<std::int64_t> dst;
    std::int64_t filled = 0;
    const auto flush = [&] {
        if (filled > 0) f(runs, dst, filled);
        runs.clear();
        dst.clear();
        filled = 0;
    };
    for (const Row& row : rows)
        for (std::int64_t x = 0; x < row.length;) {
            const std::int64_t n = std::min(row.length - x, size - filled);
            runs.push_back({row.src + x, std::int32_t(filled), std::int32_t(n)});
            dst.push_back(row.dst + x * step);
            x += n;
            if ((filled += n) == size) flush();
        }
    flush();
}

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
        for (std::int64_t group = 0; group < groups; ++group)
            for (std::int64_t tile = 0; tile < tiles; ++tile)
                each_tap([&](std::int64_t q, const Axis::Tap& z, const Axis::Tap& y, const Axis::Tap& x) {
                    const std::int64_t tap = (z.index * g.kernel[1] + y.index) * g.kernel[2] + x.index;
                    for (int r = 0; r < kernel.rows; ++r) {
                        const std::int64_t m = tile * kernel.rows + r, o = group * og + (adjoint ? q : m),
                                           c = adjoint ? m : q;
                        *to++ = m < results ? w[(o * cg + c) * size + tap] : T(0);
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
            const std::int64_t parts = (k + depth - 1) / depth, deepest = parts ? (k + parts - 1) / parts : 0;
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
    void packed(const T* image, const std::int64_t* offsets, std::int64_t deepest, const std::vector<ConvRun>& runs,
                std::int64_t filled, const T* weights, const T* start, T* panel, T* to, std::int64_t ld) const {
        std::int64_t k0 = 0;
        do {
            const std::int64_t n = std::min(deepest, k - k0);
            kernel.pack(image, offsets + k0, n, runs.data(), std::int64_t(runs.size()), filled, panel);
            for (std::int64_t t = 0; t < tiles; ++t)
                kernel.tile(n, weights + (t * k + k0) * kernel.rows, panel, k0 == 0 ? start + t * kernel.rows : nullptr,
                            to + t * kernel.rows * ld, ld, results - t * kernel.rows);
            k0 += n;
        } while (k0 < k);
    }
    void multiply(const T* image, const std::int64_t* offsets, std::int64_t deepest, const std::vector<Row>& rows,
                  const T* weights, const T* start, T* panel, T* part, T* target) const {
        const std::int64_t step = a[2].step;
        each_block(rows, step, kernel.positions,
                   [&](const std::vector<ConvRun>& runs, const std::vector<std::int64_t>& dst, std::int64_t filled) {
                       bool direct = step == 1 && filled == kernel.positions;
                       for (std::size_t r = 0; direct && r < runs.size(); ++r) direct = dst[r] == dst[0] + runs[r].at;
                       T* to = direct ? target + dst[0] : part;
                       const std::int64_t ld = direct ? target_size : kernel.positions;
                       if (tiles > few_tiles ||
                           !kernel.tiles_in_place(k, weights, image, offsets, runs.data(), std::int64_t(runs.size()),
                                                  filled, start, to, ld, results))
                           packed(image, offsets, deepest, runs, filled, weights, start, panel, to, ld);
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
    std::int64_t rest[3];
    for (rest[0] = 0; rest[0] < g.stride[0]; ++rest[0])
        for (rest[1] = 0; rest[1] < g.stride[1]; ++rest[1])
            for (rest[2] = 0; rest[2] < g.stride[2]; ++rest[2]) {
                Axes a;
                transposed(g, rest, a);
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
                      padded.pitch[1] * padded.row_size, l, rows);
            places.clear();
            for (const Row& r : rows)
                for (std::int64_t i = 0; i < r.length; ++i) places.push_back(r.src + i);
            for (std::int64_t group = 0; group < g.groups; ++group) {
                for (std::int64_t i = 0; i < n; ++i) {
                    padded.fill(x + (((n0 + i) * g.groups + group) * cg + q0) * g.in_size(), row0,
                                image + i * padded.size());
                    kernel.transpose(y + ((n0 + i) * g.groups + group) * og * l + row0 * row, l, og, count * row,
                                     grad.as<T>() + i * count * row * lanes, lanes);
                }
                const std::int64_t all = std::int64_t(places.size());
                for (std::int64_t p = 0; p < all; p += weight_block)
                    kernel.weight(image, offsets.data(), q * taps, places.data() + p, std::min(weight_block, all - p),
                                  grad.as<T>() + p * lanes, lanes, sum + (group * cg + q0) * taps * lanes);
            }
        });
    }

    void run(const T* x, const T* y, T* w) const {
        const std::int64_t k = cg * taps, size = g.groups * k * lanes;
        const Slabs<T> slabs(a, g.batch, cg);
        // A number of partial sums that depends on the shape alone, so that the bits do not depend on the threads;
        // where they would have few places each, the channels are shared out as well.
        const double work = double(g.out_channels) * double(k) * double(l) * double(g.batch);
        const std::int64_t jobs = std::clamp<std::int64_t>(std::int64_t(work / worth_a_thread), 1, 8),
                           parts = std::clamp<std::int64_t>(l * g.batch / 1024, 1, std::min(jobs, slabs.units())),
                           step = (slabs.units() + parts - 1) / parts,
                           shares = std::min(cg, (jobs + parts - 1) / parts), channels = (cg + shares - 1) / shares;
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
        for (std::int64_t group = 0; group < g.groups; ++group)
            for (std::int64_t i = 0; i < k; ++i) {
                T* sum = sums.as<T>() + (group * k + i) * lanes;
                for (std::int64_t p = 1; p < parts; ++p)
                    for (std::int64_t o = 0; o < og; ++o) sum[o] += sum[p * size + o];
            }
        for (std::int64_t group = 0; group < g.groups; ++group)
            for (std::int64_t o = 0; o < og; ++o)
                for (std::int64_t i = 0; i < k; ++i)
                    w[(group * og + o) * k + i] = sums.as<T>()[(group * k + i) * lanes + o];
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
