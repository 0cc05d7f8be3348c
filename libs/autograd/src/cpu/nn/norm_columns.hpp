// Batch normalisation of rows that have one element for each channel.
#pragma once

#include <cstdint>
#include <type_traits>

#include <reel/autograd/kernels/norm.hpp>

namespace reel::cpu {

/// Inner loops along a row, in which each channel has numbers of its own; compiled once per instruction set. Sums are
/// in float64, 16-bit elements are widened and rounded where they are read and written.
template <class T> struct NormColumns {
    using C = std::conditional_t<sizeof(T) == 2, float, T>;
    void (*add)(const T* x, std::int64_t n, double* sum);                        ///< sum += x
    void (*add_squares)(const T* x, std::int64_t n, const C* mean, double* sum); ///< sum += (x - mean)^2
    void (*add_dots)(const T* g, const T* x, std::int64_t n, const C* mean, double* sum,
                     double* dots); ///< sum += g, dots += g (x - mean)
    void (*affine)(const T* x, T* y, std::int64_t n, const C* mean, const C* scale,
                   const C* shift); ///< (x - mean) scale + shift
    void (*combine)(const T* g, const T* x, T* gx, std::int64_t n, const C* mean, const C* a, const C* b,
                    const C* c); ///< a g + b (x - mean) + c
};
template <class T> inline constinit NormColumns<T> norm_columns{};

/// Does a channel have one element of each example, so that rows are the longer way?
inline bool by_columns(const NormGeometry& g) { return g.groups == 0 && g.length == 1 && g.channels > 1; }

// As `norm_moments`, `norm_forward` and `norm_backward`, for such a geometry.
template <class T> void column_moments(const NormGeometry& g, double* mean, double* var, const T* x);
template <class T, class C>
void column_forward(const NormGeometry& g, T* y, const T* x, const C* mean, const C* rstd, const C* weight,
                    const C* bias);
template <class T, class C> struct ColumnBackward {
    const T *gy, *x;
    const C *mean, *rstd, *weight; ///< `weight` may be null
    bool constant_stats;
    T* gx; ///< these may be null
    C *gw, *gb;
};
template <class T, class C> void column_backward(const NormGeometry& g, const ColumnBackward<T, C>& b);

} // namespace reel::cpu
