// Transposes in registers: blocks of as many rows as a vector has lanes, read and written by whole vectors.
#include "cpu/transpose.hpp"

#include <utility>

#include "cpu/vec.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

/// Exchanges, for every pair of rows r, r + K, the lanes l, l + K: log2(N) such rounds transpose N x N (J. O. Eklundh,
/// 1972).
template <int K, int N, class V, class M, std::size_t... L> void exchange(V* row, std::index_sequence<L...>) {
    constexpr M low = {(int(L) & K ? N + (int(L) ^ K) : int(L))...};
    constexpr M high = {(int(L) & K ? N + int(L) : int(L) ^ K)...};
    for (int r = 0; r < N; ++r) {
        if (r & K) continue;
        const V a = row[r], b = row[r + K];
        row[r] = __builtin_shuffle(a, b, low);
        row[r + K] = __builtin_shuffle(a, b, high);
    }
}
template <int K, int N, class V, class M> void transpose_rows(V* row) {
    exchange<K, N, V, M>(row, std::make_index_sequence<std::size_t(N)>{});
    if constexpr (K > 1) transpose_rows<K / 2, N, V, M>(row);
}

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
