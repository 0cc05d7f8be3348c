// Blocks of as many rows as a vector has lanes are transposed in registers, read and written by whole vectors.
#include "cpu/shape/transpose.hpp"

#include "cpu/shape/vec_transpose.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

template <class T, class F>
void transpose(T* dst, std::int64_t dst_row, const T* src, std::int64_t src_col, std::int64_t rows, std::int64_t cols,
               bool bypass_caches) {
    using V = typename Vec<F>::Raw;
    using M = typename RawOf<F>::mask;
    constexpr int n = Vec<F>::size;
    const bool streams = bypass_caches && reinterpret_cast<std::uintptr_t>(dst) % vector_bytes == 0 &&
                         dst_row * std::int64_t(sizeof(T)) % vector_bytes == 0;
    const std::int64_t whole_rows = rows / n * n, whole_cols = cols / n * n;
    // Along the source's rows: few enough streams for the prefetchers. Stores that bypass the caches do not mind.
    for (std::int64_t j = 0; j < whole_cols; j += n)
        for (std::int64_t i = 0; i < whole_rows; i += n) {
            V row[n];
            for (int r = 0; r < n; ++r) std::memcpy(&row[r], src + (j + r) * src_col + i, sizeof(V));
            transpose_rows<n / 2, n, V, M>(row);
            T* to = dst + i * dst_row + j;
            if (streams)
                for (int r = 0; r < n; ++r) stream(reinterpret_cast<F*>(to + r * dst_row), Vec<F>(row[r]));
            else
                for (int r = 0; r < n; ++r) std::memcpy(to + r * dst_row, &row[r], sizeof(V));
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
