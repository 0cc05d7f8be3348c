// How a direct convolution sees its operands: spatial dimensions with their taps, padded copies of images or of rows of
// them that fit into the cache, and the places of the result as runs in both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <reel/autograd/kernels/conv.hpp>

#include "cpu/nn/conv_kernels.hpp"
#include "cpu/scratch.hpp"

namespace reel::cpu::direct {

inline constexpr std::int64_t cached = 384 << 10; // bytes of padded image that share the cache with weights and panels

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

inline void correlation(const ConvGeometry& g, Axes& a) {
    for (int d = 0; d < 3; ++d) {
        for (std::int64_t k = 0; k < g.kernel[d]; ++k) a[d].taps.push_back({k, k * g.dilation[d] - g.pad[d]});
        a[d].count = a[d].target = g.out[d];
        a[d].source = g.in[d];
        a[d].stride = g.stride[d];
        a[d].close();
    }
}
/// The places of a transposed convolution's result that lie a multiple of the strides behind `first`.
inline void transposed(const ConvGeometry& g, const std::int64_t (&first)[3], Axes& a) {
    for (int d = 0; d < 3; ++d) {
        const std::int64_t s = g.stride[d];
        a[d].source = g.out[d];
        a[d].target = g.in[d];
        a[d].step = s;
        a[d].first = first[d];
        a[d].count = (g.in[d] - first[d] - 1) / s + 1;
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
            const std::int64_t begin = std::clamp<std::int64_t>(from < 0 ? (-1 - from) / s + 1 : 0, 0, width),
                               end = std::clamp<std::int64_t>(from < n ? (n - 1 - from) / s + 1 : 0, begin, width);
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
inline void list_rows(const Axes& a, std::int64_t n, std::int64_t row0, std::int64_t rows, std::int64_t padded_size,
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

} // namespace reel::cpu::direct
