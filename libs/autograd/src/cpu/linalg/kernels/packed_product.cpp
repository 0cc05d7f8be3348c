// Tiles of a product with a packed matrix: as many accumulators as the registers hold.
#include "cpu/linalg/packed_product.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <reel/autograd/detail/cpu/vec.hpp>

#include "cpu/linalg/blas_core.hpp"
#include "cpu/shape/transpose.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

#if defined(__AVX512F__)
constexpr int panel_vectors = 4; // 6 rows of 4 vectors in 32 registers
constexpr std::int64_t most_elements = 1 << 14, most_extent = 64;
#elif defined(__FMA__)
constexpr int panel_vectors = 2;                                  // 6 rows of 2 vectors in 16 registers
constexpr std::int64_t most_elements = 1 << 14, most_extent = 64; // larger ones take the same time
#else
constexpr int panel_vectors = 2;
constexpr std::int64_t most_elements = 0, most_extent = 0; // the library may know of more
#endif
constexpr int tile_rows = 6;

template <class T> constexpr std::int64_t lanes = Vec<T>::size;
template <class T> constexpr std::int64_t panel_width = panel_vectors* lanes<T>;
/// Vectors of a panel with so many columns.
template <class T> std::int64_t vectors_for(std::int64_t columns) {
    return std::min<std::int64_t>((columns + lanes<T> - 1) / lanes<T>, panel_vectors);
}

/// `n` elements, as many as a few vectors have at most: a call would take longer than to copy them does.
template <class T> void copy_some(T* to, const T* from, std::int64_t n) {
    for (; n >= lanes<T>; n -= lanes<T>, from += lanes<T>, to += lanes<T>) Vec<T>::load(from).store(to);
#pragma GCC unroll 4
    for (int some = int(lanes<T>) / 2; some > 0; some /= 2)
        if (n & some) {
            std::memcpy(to, from, std::size_t(some) * sizeof(T));
            from += some;
            to += some;
        }
}
template <class T> std::int64_t size(std::int64_t k, std::int64_t n) {
    return (n + lanes<T> - 1) / lanes<T> * lanes<T> * k;
}
template <class T> void pack(const T* b, bool transposed, std::int64_t k, std::int64_t n, std::int64_t ldb, T* panels) {
    for (std::int64_t j = 0; j < n; j += panel_width<T>) {
        const std::int64_t columns = std::min(n - j, panel_width<T>), stride = vectors_for<T>(columns) * lanes<T>;
        if (columns < stride) std::fill(panels, panels + stride * k, T(0));
        if (transposed) transposed_copy(panels, stride, b + j * ldb, ldb, k, columns);
        else if (columns == panel_width<T>)
            for (std::int64_t p = 0; p < k; ++p)
                std::memcpy(panels + p * stride, b + p * ldb + j, std::size_t(panel_width<T>) * sizeof(T));
        else
            for (std::int64_t p = 0; p < k; ++p) copy_some(panels + p * stride, b + p * ldb + j, columns);
        panels += stride * k;
    }
}

/// Columns of a tile that are no whole vectors; one loop for the tiles of all sizes.
template <class T>
[[gnu::noinline]] void put(T* tile, std::int64_t width, std::int64_t rows, std::int64_t columns, T* c, std::int64_t ldc,
                           bool add) {
    T old[panel_width<T>] = {};
    for (std::int64_t i = 0; i < rows; ++i, tile += width, c += ldc) {
        if (add) {
            copy_some(old, c, columns);
            for (std::int64_t j = 0; j < width; j += lanes<T>)
                (Vec<T>::load(tile + j) + Vec<T>::load(old + j)).store(tile + j);
        }
        copy_some(c, tile, columns);
    }
}
/// f(0), ..., f(n - 1) as constants: sums that a loop counts through would go through memory, before it and after.
template <int n, class F> [[gnu::always_inline]] inline void each(F f) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        (f(std::integral_constant<int, i>()), ...);
    }
    (std::make_integer_sequence<int, n>());
}
template <class T, int M, int N>
void tile(const T* a, std::int64_t down, std::int64_t along, const T* panel, std::int64_t step, T* c, std::int64_t ldc,
          std::int64_t columns, std::int64_t k, bool add) {
    using V = Vec<T>;
    constexpr int w = V::size;
    V sum[M][N];
    const auto each_sum = [&](auto f) __attribute__((always_inline)) {
        each<M>([&](auto i) __attribute__((always_inline)) {
            each<N>([&](auto j) __attribute__((always_inline)) { f(sum[i][j], int(i), int(j)); });
        });
    };
    each_sum([](V & s, int, int) __attribute__((always_inline)) { s = V(T(0)); });
    for (std::int64_t p = 0; p < k; ++p, panel += step, a += along) {
        V b[N];
        each<N>([&](auto j) __attribute__((always_inline)) { b[j] = V::load(panel + j * w); });
        each<M>([&](auto i) __attribute__((always_inline)) {
            const V x(a[i * down]);
            each<N>([&](auto j) __attribute__((always_inline)) { sum[i][j] += x * b[j]; });
        });
    }
    if (columns == N * w) {
        if (add)
            each_sum([&](V & s, int i, int j) __attribute__((always_inline)) { s += V::load(c + i * ldc + j * w); });
        each_sum([&](V & s, int i, int j) __attribute__((always_inline)) { s.store(c + i * ldc + j * w); });
        return;
    }
    T buffer[M][N * w];
    each_sum([&](V & s, int i, int j) __attribute__((always_inline)) { s.store(buffer[i] + j * w); });
    put<T>(buffer[0], N * w, M, columns, c, ldc, add);
}
template <class T>
using Tile = void (*)(const T*, std::int64_t, std::int64_t, const T*, std::int64_t, T*, std::int64_t, std::int64_t,
                      std::int64_t, bool);
template <class T, int N>
constexpr Tile<T> tiles_of[tile_rows] = {&tile<T, 1, N>, &tile<T, 2, N>, &tile<T, 3, N>,
                                         &tile<T, 4, N>, &tile<T, 5, N>, &tile<T, 6, N>};
template <class T> Tile<T> tile_for(std::int64_t rows, std::int64_t vectors) {
    switch (vectors) {
    case 1:
        return tiles_of<T, 1>[rows - 1];
    case 2:
        return tiles_of<T, 2>[rows - 1];
#if defined(__AVX512F__)
    case 3:
        return tiles_of<T, 3>[rows - 1];
    default:
        return tiles_of<T, 4>[rows - 1];
#else
    default:
        return tiles_of<T, 2>[rows - 1];
#endif
    }
}
/// Some columns of a product, no more than a panel has.
template <class T>
void run_panel(const T* a, std::int64_t down, std::int64_t along, const T* panel, std::int64_t step, T* c,
               std::int64_t ldc, std::int64_t m, std::int64_t columns, std::int64_t k, bool add) {
    // Blocks of rows that differ by one at most: the sums run over k alone, so bits do not depend on them.
    const std::int64_t blocks = (m + tile_rows - 1) / tile_rows, vectors = vectors_for<T>(columns);
    for (std::int64_t i = 0, block = 0; block < blocks; ++block) {
        const std::int64_t rows = (m - i) / (blocks - block);
        tile_for<T>(rows, vectors)(a + i * down, down, along, panel, step, c + i * ldc, ldc, columns, k, add);
        i += rows;
    }
}
template <class T>
void run(const T* a, std::int64_t lda, const T* panels, std::int64_t first, std::int64_t last, T* c, std::int64_t ldc,
         std::int64_t m, std::int64_t n, std::int64_t k, bool add) {
    for (std::int64_t panel = first; panel < last; ++panel) {
        const std::int64_t j = panel * panel_width<T>, columns = std::min(n - j, panel_width<T>);
        run_panel(a, lda, 1, panels + j * k, vectors_for<T>(columns) * lanes<T>, c + j, ldc, m, columns, k, add);
    }
}
template <class T>
void run_in_place(const T* a, std::int64_t down, std::int64_t along, const T* b, std::int64_t ldb, T* c,
                  std::int64_t ldc, std::int64_t m, std::int64_t n, std::int64_t k) {
    for (std::int64_t j = 0; j < n; j += panel_width<T>) {
        const std::int64_t columns = std::min(n - j, panel_width<T>);
        const std::int64_t step = ldb ? ldb : vectors_for<T>(columns) * lanes<T>;
        run_panel(a, down, along, b + j * (ldb ? 1 : k), step, c + j, ldc, m, columns, k, false);
    }
}

template <class T> void fill() {
    const bool always = vector_bytes == 64 && !blas_knows_processor();
    packed_product_kernels<T> = {panel_width<T>, always,  most_elements,    most_extent, &size<T>,
                                 &pack<T>,       &run<T>, &run_in_place<T>, lanes<T>};
}

} // namespace

void register_packed_product() {
    fill<float>();
    fill<double>();
}

} // namespace reel::cpu::REEL_ISA
