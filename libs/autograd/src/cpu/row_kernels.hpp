// What reductions do with one dense row, by the kernels of the instruction set.
#pragma once

#include <cstdint>

#include <reel/autograd/half.hpp>

namespace reel::cpu {

template <class T> struct RowKernels {
    /// Place of the first largest (smallest) element of at least one; the first NaN's where there is one.
    std::int64_t (*largest)(const T* p, std::int64_t n) = nullptr;
    std::int64_t (*smallest)(const T* p, std::int64_t n) = nullptr;
    /// out[c] = the largest (smallest) of p[r * ld + c] over r < rows, at least one; NaN where there is one; c < count.
    void (*largest_of_columns)(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    void (*smallest_of_columns)(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    /// out[c] = the sum over r < rows of p[r * ld + c], in float32 and rounded once; of 16-bit floats.
    void (*sum_of_columns)(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    /// The sum of squares in float64, of floats. The order is fixed, whatever the instruction set.
    double (*squares)(const T* p, std::int64_t n) = nullptr;
    /// The sum of exp(p[i] - shift), of floats.
    T (*exponentials)(const T* p, std::int64_t n, T shift) = nullptr;
};
template <class T> inline constinit RowKernels<T> row_kernels{};

} // namespace reel::cpu
