// What reductions do with one dense row, by the kernels of the instruction set.
#pragma once

#include <cstdint>

#include <reel/autograd/half.hpp>

namespace reel::cpu {

template <class T> struct RowKernels {
    /// Place of the first largest (smallest) element of at least one; the first NaN's where there is one.
    std::int64_t (*largest)(const T* p, std::int64_t n) = nullptr;
    std::int64_t (*smallest)(const T* p, std::int64_t n) = nullptr;
    /// out[r] of `rows` rows that lie one after the other and have `n` elements, at least one: the largest (smallest)
    /// element itself, of floating types; NaN where there is one.
    void (*largest_values)(const T* p, std::int64_t rows, std::int64_t n, T* out) = nullptr;
    void (*smallest_values)(const T* p, std::int64_t rows, std::int64_t n, T* out) = nullptr;
    /// Likewise the product, of numbers: 16-bit ones in float32, integers wrapping; n may be 0.
    void (*products)(const T* p, std::int64_t rows, std::int64_t n, T* out) = nullptr;
    /// The sum modulo 2^64, of integers and bools.
    std::uint64_t (*whole_sum)(const T* p, std::int64_t n) = nullptr;
    /// The sum of (p[i] - mean)^2, in float64, of floats. Sums are in a fixed order, whatever the instruction set.
    double (*spread)(const T* p, std::int64_t n, double mean) = nullptr;
    /// The sum in float64, of floats.
    double (*wide_sum)(const T* p, std::int64_t n) = nullptr;
    /// out[c] = the largest (smallest) of p[r * ld + c] over r < rows, at least one; NaN where there is one; c < count.
    void (*largest_of_columns)(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    void (*smallest_of_columns)(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    /// out[c] = the product over r < rows of p[r * ld + c], as `products` gives it; of numbers.
    void (*product_of_columns)(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    /// out[c] = the sum over r < rows of p[r * ld + c], in float32 and rounded once; of 16-bit floats.
    void (*sum_of_columns)(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) = nullptr;
    /// The sum of squares in float64, of floats. The order is fixed, whatever the instruction set.
    double (*squares)(const T* p, std::int64_t n) = nullptr;
    /// The sum of |p[i]| in float64, of floats, in the same order.
    double (*magnitudes)(const T* p, std::int64_t n) = nullptr;
    /// The sum of exp(p[i] - shift), of floats.
    T (*exponentials)(const T* p, std::int64_t n, T shift) = nullptr;
};
template <class T> inline constinit RowKernels<T> row_kernels{};

} // namespace reel::cpu
