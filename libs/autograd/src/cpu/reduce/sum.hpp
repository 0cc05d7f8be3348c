// Sums over dense rows, in a tree fixed by the shape: the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <type_traits>

namespace reel::cpu {

/// Kernels per instruction set: the sums of rows of at most `sum_block` elements, and of columns.
inline constexpr std::int64_t sum_block = 4096;
template <class T> struct SumKernels {
    using Sum = std::conditional_t<sizeof(T) == 2, float, T>;
    /// out[r] = the sum of row r of `rows` that lie one after the other and have `n` elements.
    using Rows = void (*)(const T* in, std::int64_t rows, std::int64_t n, Sum* out);
    Rows rows = nullptr, rows_of_numbers = nullptr; ///< the second: NaN counts as zero
    /// out[c] = sum over r < rows of in[r * ld + c] for c < count; float32 and float64.
    void (*columns)(const T* in, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    void (*columns_of_numbers)(const T* in, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
};
template <class T> inline constinit SumKernels<T> sum_kernels{};

} // namespace reel::cpu
