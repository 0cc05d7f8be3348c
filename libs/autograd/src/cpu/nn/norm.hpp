// Inner loops of normalisation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace reel::cpu {

/// Compiled once per instruction set. 16-bit elements are widened and rounded where they are read and written; what
/// goes by rows is for float32 and float64. Null weights count as ones, null biases as zeros.
template <class T> struct NormKernels {
    using C = std::conditional_t<sizeof(T) == 2, float, T>;
    double (*sum)(const T* x, std::int64_t n);
    double (*squares)(const T* x, std::int64_t n, C mean);                      ///< sum of (x - mean)^2
    void (*dots)(const T* g, const T* x, std::int64_t n, C mean, double* sums); ///< sums of g and of g (x - mean)
    void (*affine)(const T* x, T* y, std::int64_t n, C mean, C scale, C shift); ///< (x - mean) scale + shift
    void (*combine)(const T* g, const T* x, T* gx, std::int64_t n, C mean, C a, C b, C c); ///< a g + b (x - mean) + c
    void (*affine_row)(const T* x, T* y, std::int64_t n, T mean, T rstd, const T* w, const T* b);
    void (*dots_row)(const T* g, const T* x, const T* w, std::int64_t n, T mean,
                     double* sums); ///< `dots` with g w for g
    void (*combine_row)(const T* g, const T* x, const T* w, T* gx, std::int64_t n, T mean, T a, T b, T c);
    void (*accumulate_row)(const T* g, const T* x, std::int64_t n, T mean, T rstd, T* gw,
                           T* gb); ///< gw += g xhat, gb += g; either may be null
};
template <class T> inline constinit NormKernels<T> norm_kernels{};

/// The variance of `count` elements from the sum of their squared distances from a rounded mean, which lies `off` from
/// the mean. max would hide a NaN, and an infinity's: 0 * NaN and 0 * infinity are NaN.
inline double variance_of(double squares, double count, double off) {
    return std::max(0.0, squares / count - off * off) + 0 * squares;
}

} // namespace reel::cpu
