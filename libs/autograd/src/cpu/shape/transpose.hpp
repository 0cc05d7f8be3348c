// Transposing a matrix of 4- or 8-byte elements.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// dst[i * dst_row + j] = src[j * src_col + i] for i < rows, j < cols; strides in elements.
template <class T>
using TransposeFn = void (*)(T* dst, std::int64_t dst_row, const T* src, std::int64_t src_col, std::int64_t rows,
                             std::int64_t cols, bool bypass_caches);
struct TransposeKernels {
    TransposeFn<std::uint32_t> b4 = nullptr;
    TransposeFn<std::uint64_t> b8 = nullptr;
};
inline constinit TransposeKernels transpose_kernels{};
/// dst[i * dst_row + j] = src[j * src_col + i] for float or double.
template <class T>
void transposed_copy(T* dst, std::int64_t dst_row, const T* src, std::int64_t src_col, std::int64_t rows,
                     std::int64_t cols) {
    if constexpr (sizeof(T) == 4)
        transpose_kernels.b4(reinterpret_cast<std::uint32_t*>(dst), dst_row,
                             reinterpret_cast<const std::uint32_t*>(src), src_col, rows, cols, false);
    else
        transpose_kernels.b8(reinterpret_cast<std::uint64_t*>(dst), dst_row,
                             reinterpret_cast<const std::uint64_t*>(src), src_col, rows, cols, false);
}

} // namespace reel::cpu
