// Convolution: panels of patches, tiles of channels by positions held in registers, and the weight's gradient.
#include "cpu/nn/conv_kernels.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

#if defined(__AVX512F__)
constexpr int tile_rows = 8, tile_vectors = 3; // of 32 registers
constexpr int weight_taps = 8;
#else
constexpr int tile_rows = 4, tile_vectors = 3; // of 16
constexpr int weight_taps = 6;
#endif

/// The panel as equal pieces, if the runs allow it: where each reads.
template <class T, int size>
bool in_pieces(const ConvRun* runs, std::int64_t n, std::int64_t filled, std::int64_t* from) {
    if (filled != tile_vectors * Vec<T>::size) return false;
    for (std::int64_t r = 0; r < n; ++r) {
        if (runs[r].at % size != 0 || runs[r].length % size != 0) return false;
        for (std::int32_t i = 0; i < runs[r].length; i += size) from[(runs[r].at + i) / size] = runs[r].src + i;
    }
    return true;
}
template <class T, int size>
void pack_pieces(const T* image, const std::int64_t* taps, std::int64_t count, const std::int64_t* from, T* to) {
    constexpr int pieces = tile_vectors * Vec<T>::size / size;
    const T* in[pieces];
    for (int i = 0; i < pieces; ++i) in[i] = image + from[i];
    for (std::int64_t k = 0; k < count; ++k, to += pieces * size)
#pragma GCC unroll 6
        for (int i = 0; i < pieces; ++i) std::memcpy(to + i * size, in[i] + taps[k], size * sizeof(T));
}
/// Vectors in ascending order of `out`; `known` of them, or as many as there are.
template <class T, int known>
void pack_copies(int copies, const std::int64_t* taps, std::int64_t count, const T* const* in, const std::int32_t* out,
                 T* to) {
    using V = Vec<T>;
    for (std::int64_t k = 0; k < count; ++k, to += tile_vectors * V::size)
#pragma GCC unroll 6
        for (int i = 0; i < (known ? known : copies); ++i) V::load(in[i] + taps[k]).store(to + out[i]);
}
template <class T>
void pack(const T* image, const std::int64_t* taps, std::int64_t count, const ConvRun* runs, std::int64_t n,
          std::int64_t filled, T* to) {
    using V = Vec<T>;
    constexpr int w = V::size, positions = tile_vectors * w;
    std::int64_t from[2 * tile_vectors];
    if (in_pieces<T, w>(runs, n, filled, from)) return pack_pieces<T, w>(image, taps, count, from, to);
    if (in_pieces<T, w / 2>(runs, n, filled, from)) return pack_pieces<T, w / 2>(image, taps, count, from, to);
    // Whole vectors: what one run writes too much, the next run, row or slack takes.
    const T* in[positions];
    std::int32_t out[positions];
    int copies = 0;
    for (std::int64_t r = 0; r < n; ++r)
        for (std::int32_t i = 0; i < runs[r].length; i += w) {
            in[copies] = image + runs[r].src + i;
            out[copies++] = runs[r].at + i;
        }
    if (filled == positions) {
        if (copies == tile_vectors) return pack_copies<T, tile_vectors>(copies, taps, count, in, out, to);
        if (copies == tile_vectors + 1) return pack_copies<T, tile_vectors + 1>(copies, taps, count, in, out, to);
        if (copies == tile_vectors + 2) return pack_copies<T, tile_vectors + 2>(copies, taps, count, in, out, to);
        return pack_copies<T, 0>(copies, taps, count, in, out, to);
    }
    const V zero(T(0));
    for (std::int64_t k = 0; k < count; ++k, to += positions) {
        for (int i = 0; i < copies; ++i) V::load(in[i] + taps[k]).store(to + out[i]);
        for (std::int64_t i = filled; i < positions; i += w) zero.store(to + i);
    }
}

/// The right factor of a tile: a panel, or where it lies in the padded image.
template <class T> struct Panel {
    const T* b;
    template <int v> Vec<T> at(std::int64_t l) const { return Vec<T>::load(b + (l * tile_vectors + v) * Vec<T>::size); }
};
template <class T> struct InPlace {
    const T* b[tile_vectors];
    const std::int64_t* taps;
    template <int v> Vec<T> at(std::int64_t l) const { return Vec<T>::load(b[v] + taps[l]); }
};
template <class T, int rows, class B>
void tile_of(std::int64_t k, const T* a, B b, const T* start, const T* before, T* c, std::int64_t ldc, int used) {
    using V = Vec<T>;
    constexpr int w = V::size;
    V acc[rows][tile_vectors];
    if (start) {
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 3
            for (int v = 0; v < tile_vectors; ++v) acc[r][v] = V(start[r]);
    } else {
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 3
            for (int v = 0; v < tile_vectors; ++v) acc[r][v] = V::load(before + (r * tile_vectors + v) * w);
    }
    for (std::int64_t l = 0; l < k; ++l, a += tile_rows) {
        const V x[tile_vectors] = {b.template at<0>(l), b.template at<1>(l), b.template at<2>(l)};
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) {
            const V s(a[r]);
#pragma GCC unroll 3
            for (int v = 0; v < tile_vectors; ++v) acc[r][v] += s * x[v];
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
        if (r < used) {
#pragma GCC unroll 3
            for (int v = 0; v < tile_vectors; ++v) acc[r][v].store(c + r * ldc + v * w);
        }
}
template <class T, class B>
void tile_any(std::int64_t k, const T* a, B b, const T* start, const T* before, T* c, std::int64_t ldc,
              std::int64_t left) {
    const int used = int(left < tile_rows ? left : tile_rows);
    if (used > tile_rows / 2) tile_of<T, tile_rows>(k, a, b, start, before, c, ldc, used);
    else if (used > 1) tile_of<T, tile_rows / 2>(k, a, b, start, before, c, ldc, used);
    else tile_of<T, 1>(k, a, b, start, before, c, ldc, used);
}
template <class T>
void tile(std::int64_t k, const T* a, const T* b, const T* start, const T* before, T* c, std::int64_t ldc,
          std::int64_t left) {
    tile_any(k, a, Panel<T>{b}, start, before, c, ldc, left);
}
template <class T>
bool tiles_in_place(std::int64_t k, const T* a, const T* image, const std::int64_t* taps, const ConvRun* runs,
                    std::int64_t n, std::int64_t filled, const T* start, T* c, std::int64_t ldc, std::int64_t rows) {
    std::int64_t from[tile_vectors];
    if (!in_pieces<T, Vec<T>::size>(runs, n, filled, from)) return false;
    const InPlace<T> b{{image + from[0], image + from[1], image + from[2]}, taps};
    for (std::int64_t m = 0; m < rows; m += tile_rows, a += k * tile_rows)
        tile_any(k, a, b, start + m, static_cast<const T*>(nullptr), c + m * ldc, ldc, rows - m);
    return true;
}

/// So many places, which the last vector may exceed: it reads what lies behind the line, or its slack.
template <class T, int vectors>
void line_of(std::int64_t k, const T* a, const T* image, const std::int64_t* taps, T start, T* to, std::int64_t n) {
    using V = Vec<T>;
    constexpr int w = V::size;
    V acc[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) acc[v] = V(start);
    for (std::int64_t l = 0; l < k; ++l) {
        const V s(a[l * tile_rows]);
        const T* from = image + taps[l];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) acc[v] += s * V::load(from + v * w);
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors - 1; ++v) acc[v].store(to + v * w);
    const std::int64_t first = (vectors - 1) * w;
    if (n - first >= w) return acc[vectors - 1].store(to + first);
    T last[w];
    acc[vectors - 1].store(last);
    std::memcpy(to + first, last, std::size_t(n - first) * sizeof(T));
}
template <class T>
void line(std::int64_t k, const T* a, const T* image, const std::int64_t* taps, T start, T* to, std::int64_t n) {
    constexpr int w = Vec<T>::size;
    std::int64_t i = 0;
    for (; i + 4 * w <= n; i += 4 * w) line_of<T, 4>(k, a, image + i, taps, start, to + i, 4 * w);
    const std::int64_t left = n - i;
    if (left > 3 * w) line_of<T, 4>(k, a, image + i, taps, start, to + i, left);
    else if (left > 2 * w) line_of<T, 3>(k, a, image + i, taps, start, to + i, left);
    else if (left > w) line_of<T, 2>(k, a, image + i, taps, start, to + i, left);
    else if (left > 0) line_of<T, 1>(k, a, image + i, taps, start, to + i, left);
}

template <class T>
void line_products(std::int64_t k, const T* image, const std::int64_t* taps, const T* g, std::int64_t n, T* to) {
    using V = Vec<T>;
    constexpr int w = V::size;
    const std::int64_t whole = n / w * w;
    T last[w] = {}, lane[w];
    std::memcpy(last, g + whole, std::size_t(n - whole) * sizeof(T));
    for (int l = 0; l < w; ++l) lane[l] = T(l);
    const V rest = V::load(last), zero(T(0));
    const auto is_rest = V::load(lane) < V(T(n - whole));
    for (std::int64_t l = 0; l < k; ++l, to += w) {
        const T* from = image + taps[l];
        V acc = V::load(to);
        for (std::int64_t i = 0; i < whole; i += w) acc += V::load(from + i) * V::load(g + i);
        if (whole < n) acc += select(is_rest, V::load(from + whole), zero) * rest; // behind the line may be infinity
        acc.store(to);
    }
}

template <class T>
void copy(const T* from, std::int64_t ld, std::int64_t rows, std::int64_t n, std::int64_t stride, T* to,
          std::int64_t ldto) {
    using V = Vec<T>;
    constexpr int w = V::size;
    for (std::int64_t r = 0; r < rows; ++r, from += ld, to += ldto) {
        if (stride == 1 && n >= w) {
            for (std::int64_t i = 0; i + w <= n; i += w) V::load(from + i).store(to + i);
            if (n % w != 0) V::load(from + n - w).store(to + n - w);
        } else if (stride == 1) {
            for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
        } else if (stride == 2) { // known to the compiler, which has shuffles for it
            for (std::int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
        } else {
            for (std::int64_t i = 0; i < n; ++i) to[i] = from[stride * i];
        }
    }
}

/// Lanes `step` apart change places between pairs of vectors: after steps 1, 2, ... the block is transposed.
template <class T, int step> void exchange(Vec<T>* x) {
    using V = Vec<T>;
    using I = typename V::RawInt;
    constexpr int w = V::size;
    if constexpr (step < w) {
        I low, high;
#pragma GCC unroll 16
        for (int i = 0; i < w; ++i) {
            low[i] = i & step ? w + i - step : i;
            high[i] = i & step ? w + i : i + step;
        }
#pragma GCC unroll 16
        for (int i = 0; i < w; ++i)
            if (!(i & step)) {
                const V a = x[i], b = x[i + step];
                x[i] = V(__builtin_shuffle(a.v, b.v, low));
                x[i + step] = V(__builtin_shuffle(a.v, b.v, high));
            }
        exchange<T, step * 2>(x);
    }
}
template <class T>
void transpose(const T* from, std::int64_t ld, std::int64_t rows, std::int64_t cols, T* to, std::int64_t ldto) {
    using V = Vec<T>;
    constexpr int w = V::size;
    for (std::int64_t r = 0; r < rows; r += w) {
        std::int64_t c = 0;
        for (; c + w <= cols; c += w) {
            V x[w];
#pragma GCC unroll 16
            for (int i = 0; i < w; ++i) x[i] = r + i < rows ? V::load(from + (r + i) * ld + c) : V(T(0));
            exchange<T, 1>(x);
#pragma GCC unroll 16
            for (int i = 0; i < w; ++i) x[i].store(to + (c + i) * ldto + r);
        }
        for (; c < cols; ++c)
            for (int i = 0; i < w; ++i) to[c * ldto + r + i] = r + i < rows ? from[(r + i) * ld + c] : T(0);
    }
}

template <class T, int count, int vectors>
void weight_of(const T* image, const std::int64_t* taps, const std::int64_t* places, std::int64_t n, const T* g,
               std::int64_t ld, T* to) {
    using V = Vec<T>;
    constexpr int w = V::size;
    V acc[count][vectors];
    const T* x[count];
#pragma GCC unroll 8
    for (int t = 0; t < count; ++t) {
        x[t] = image + taps[t];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) acc[t][v] = V::load(to + t * ld + v * w);
    }
    for (std::int64_t i = 0; i < n; ++i, g += ld) {
        const std::int64_t at = places[i];
        V b[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) b[v] = V::load(g + v * w);
#pragma GCC unroll 8
        for (int t = 0; t < count; ++t) {
            const V s(x[t][at]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) acc[t][v] += s * b[v];
        }
    }
#pragma GCC unroll 8
    for (int t = 0; t < count; ++t)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) acc[t][v].store(to + t * ld + v * w);
}
template <class T, int some, int vectors>
void weight_strip(const T* image, const std::int64_t* taps, std::int64_t count, const std::int64_t* places,
                  std::int64_t n, const T* g, std::int64_t ld, T* to) {
    std::int64_t t = 0;
    for (; t + some <= count; t += some) weight_of<T, some, vectors>(image, taps + t, places, n, g, ld, to + t * ld);
    for (; t + 3 <= count; t += 3) weight_of<T, 3, vectors>(image, taps + t, places, n, g, ld, to + t * ld);
    for (; t < count; ++t) weight_of<T, 1, vectors>(image, taps + t, places, n, g, ld, to + t * ld);
}
template <class T>
void weight(const T* image, const std::int64_t* taps, std::int64_t count, const std::int64_t* places, std::int64_t n,
            const T* g, std::int64_t channels, T* to) {
    constexpr int w = Vec<T>::size;
    std::int64_t c = 0;
#if defined(__AVX512F__)
    for (; c + 4 * w <= channels; c += 4 * w)
        weight_strip<T, 6, 4>(image, taps, count, places, n, g + c, channels, to + c);
#endif
    for (; c + 2 * w <= channels; c += 2 * w)
        weight_strip<T, weight_taps, 2>(image, taps, count, places, n, g + c, channels, to + c);
    for (; c < channels; c += w)
        weight_strip<T, weight_taps, 1>(image, taps, count, places, n, g + c, channels, to + c);
}

template <class T> ConvKernels<T> all() {
    return {tile_rows, tile_vectors * Vec<T>::size, Vec<T>::size, &pack<T>,      &tile<T>,  &tiles_in_place<T>,
            &line<T>,  &line_products<T>,           &copy<T>,     &transpose<T>, &weight<T>};
}

} // namespace

void register_conv() {
    conv_kernels<float> = all<float>();
    conv_kernels<double> = all<double>();
}

} // namespace reel::cpu::REEL_ISA
