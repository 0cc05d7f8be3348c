// Square blocks are transposed in registers, read and written by whole vectors.
#include "cpu/shape/transpose.hpp"

#include "cpu/shape/vec_transpose.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

constexpr std::int64_t fits_caches = 1 << 18, line_bytes = 64;

template <class T, class F> struct Block {
    using V = typename Vec<F>::Raw;
    static constexpr int n = Vec<F>::size;
    V row[n]; ///< of the destination

    Block(const T* src, std::int64_t src_col) {
        for (int r = 0; r < n; ++r) std::memcpy(&row[r], src + r * src_col, sizeof(V));
        transpose_rows<n / 2, n, V, typename RawOf<F>::mask>(row);
    }
    void put(int r, T* to, bool streams) const {
        if (streams) stream(reinterpret_cast<F*>(to), Vec<F>(row[r]));
        else std::memcpy(to, &row[r], sizeof(V));
    }
};

/// Two blocks each way, for vectors that are half a cache line: a line that is left half written goes to memory twice,
/// and one that is left half read may be gone when the other half is asked for, since rows of 4,096 bytes share their
/// places in the first cache.
template <class T, class F>
void transpose_lines(T* dst, std::int64_t dst_row, const T* src, std::int64_t src_col, bool streams) {
    constexpr int n = Vec<F>::size;
    const Block<T, F> a(src, src_col), b(src + n, src_col), c(src + n * src_col, src_col),
        d(src + n * src_col + n, src_col);
    for (int r = 0; r < n; ++r) {
        a.put(r, dst + r * dst_row, streams);
        c.put(r, dst + r * dst_row + n, streams);
    }
    for (int r = n; r < 2 * n; ++r) {
        b.put(r - n, dst + r * dst_row, streams);
        d.put(r - n, dst + r * dst_row + n, streams);
    }
}

template <class T, class F>
void transpose(T* dst, std::int64_t dst_row, const T* src, std::int64_t src_col, std::int64_t rows, std::int64_t cols,
               bool bypass_caches) {
    constexpr int n = Vec<F>::size;
    constexpr std::int64_t bytes = sizeof(T);
    const auto is_aligned = [&](std::int64_t to) {
        return reinterpret_cast<std::uintptr_t>(dst) % std::uintptr_t(to) == 0 && dst_row * bytes % to == 0;
    };
    const bool streams = bypass_caches && is_aligned(vector_bytes),
               lines = vector_bytes < line_bytes && rows * cols * bytes > fits_caches && is_aligned(line_bytes);
    const std::int64_t line_rows = lines ? rows / (2 * n) * (2 * n) : 0, whole_rows = rows / n * n,
                       line_cols = lines ? cols / (2 * n) * (2 * n) : 0, whole_cols = cols / n * n;
    // Along the source's rows: few enough streams for the prefetchers. Stores that bypass the caches do not mind.
    if constexpr (vector_bytes < line_bytes)
        for (std::int64_t j = 0; j < line_cols; j += 2 * n)
            for (std::int64_t i = 0; i < line_rows; i += 2 * n)
                transpose_lines<T, F>(dst + i * dst_row + j, dst_row, src + j * src_col + i, src_col, streams);
    // With vectors of whole lines, along the result's rows: a store waits for its line, a load is asked for ahead.
    // Where rows of both share their places in the first cache, the other order takes up to 2.7 times as long (Zen 5).
    const bool along_result = vector_bytes == line_bytes && !streams;
    const std::int64_t outer = along_result ? whole_rows : whole_cols, inner = along_result ? whole_cols : whole_rows;
    for (std::int64_t o = 0; o < outer; o += n)
        for (std::int64_t k = o < line_cols ? line_rows : 0; k < inner; k += n) {
            const std::int64_t i = along_result ? o : k, j = along_result ? k : o;
            const Block<T, F> block(src + j * src_col + i, src_col);
            T* const to = dst + i * dst_row + j;
            if (streams)
                for (int r = 0; r < n; ++r) block.put(r, to + r * dst_row, true);
            else
                for (int r = 0; r < n; ++r) block.put(r, to + r * dst_row, false);
        }
    if (streams) stream_fence();
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = i < whole_rows ? whole_cols : 0; j < cols; ++j)
            dst[i * dst_row + j] = src[j * src_col + i];
}

} // namespace

void register_transpose() {
    transpose_kernels.b4 = &transpose<std::uint32_t, float>;
    transpose_kernels.b8 = &transpose<std::uint64_t, double>;
}

} // namespace reel::cpu::REEL_ISA
