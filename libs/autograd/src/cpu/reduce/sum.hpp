// Sums over dense rows, in a tree fixed by the shape: the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <type_traits>

namespace reel::cpu {

/// Kernels per instruction set: the sum of one block of at most `sum_block` elements, and sums of columns.
inline constexpr std::int64_t sum_block = 4096;
template <class T> struct SumKernels {
    using Sum = std::conditional_t<sizeof(T) == 2, float, T>;
    Sum (*block)(const T*, std::int64_t) = nullptr;
    Sum (*block_of_numbers)(const T*, std::int64_t) = nullptr; ///< NaN counts as zero
    /// out[c] = sum over r < rows of in[r * ld + c] for c < count; float32 and float64.
    void (*columns)(const T* in, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    void (*columns_of_numbers)(const T* in, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
};
template <class T> inline constinit SumKernels<T> sum_kernels{};

} // namespace reel::cpu
