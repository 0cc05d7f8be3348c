// Inner loops of attention, by the instruction set.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Inner loops over tiles of scores, whose rows are `ld` numbers apart, a whole number of vectors; what stands behind
/// the columns that count may be written.
template <class T> struct AttentionKernels {
    /// Scores become exponentials of their distance from the row's greatest so far. best, sum: of each row, brought up
    /// to date; `factor`: what the row's earlier results must be multiplied with.
    void (*weigh)(T* scores, std::int64_t ld, std::int64_t rows, std::int64_t columns, T* best, T* sum, T* factor);
    /// x[r][c] *= factor[r]
    void (*scale_rows)(T* x, std::int64_t ld, std::int64_t rows, std::int64_t columns, const T* factor);
    /// scores[r][c] = exp(scores[r][c] - normalizers[c])
    void (*weights)(T* scores, std::int64_t ld, std::int64_t rows, std::int64_t columns, const T* normalizers);
    /// slopes[r][c] = weights[r][c] * (slopes[r][c] - dots[c])
    void (*slopes)(T* slopes, const T* weights, std::int64_t ld, std::int64_t rows, std::int64_t columns,
                   const T* dots);
    T (*dot)(const T* a, const T* b, std::int64_t n);
};
template <class T> inline constinit AttentionKernels<T> attention_kernels{};

} // namespace reel::cpu
