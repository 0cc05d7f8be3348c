// Transposes in registers: as many rows as a vector has lanes.
#pragma once

#include <utility>

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

/// Exchanges, for every pair of rows r, r + K, the lanes l, l + K of N: log2(N) such rounds transpose N x N (J. O.
/// Eklundh, 1972).
template <int K, int N, int Rows, class V, class M, std::size_t... L> void exchange(V* row, std::index_sequence<L...>) {
    constexpr M low = {(int(L) & K ? N + (int(L) ^ K) : int(L))...};
    constexpr M high = {(int(L) & K ? N + int(L) : int(L) ^ K)...};
    for (int r = 0; r < Rows; ++r) {
        if (r & K) continue;
        const V a = row[r], b = row[r + K];
        row[r] = __builtin_shuffle(a, b, low);
        row[r + K] = __builtin_shuffle(a, b, high);
    }
}
/// Transposes each of the 2K x 2K squares that lie side by side in 2K rows of N lanes.
template <int K, int N, class V, class M, int Rows = 2 * K> [[gnu::always_inline]] inline void transpose_rows(V* row) {
    exchange<K, N, Rows, V, M>(row, std::make_index_sequence<std::size_t(N)>{});
    if constexpr (K > 1) transpose_rows<K / 2, N, V, M, Rows>(row);
}

} // namespace reel::cpu::REEL_ISA
