// Normalisation: moments, affine maps and their gradients. float32 and float64; sums of sums are kept in float64.
#pragma once

#include <cstdint>

#include <reel/autograd/dtype.hpp>

namespace reel::cpu {

/// x [batch, channels, length], dense. Places that share moments: one channel over the whole batch (`groups` 0), or one
/// of `groups` groups of channels in one example.
struct NormGeometry {
    std::int64_t batch, channels, length, groups;

    std::int64_t num_stats() const { return groups == 0 ? channels : batch * groups; }
    std::int64_t stat(std::int64_t n, std::int64_t c) const {
        return groups == 0 ? c : n * groups + c / (channels / groups);
    }
    /// Elements that share one pair of moments.
    std::int64_t count() const { return groups == 0 ? batch * length : channels / groups * length; }
};

/// Means and biased variances, one pair per stat.
void norm_moments(ScalarType t, const NormGeometry& g, const void* x, double* mean, double* var);
/// y = (x - mean) rstd w + b; w and b per channel, or null.
void norm_forward(ScalarType t, const NormGeometry& g, const void* x, const void* mean, const void* rstd, const void* w,
                  const void* b, void* y);
/// Gradients; any of gx, gw, gb may be null. `constant_stats`: mean and rstd did not come from x.
void norm_backward(ScalarType t, const NormGeometry& g, const void* gy, const void* x, const void* mean,
                   const void* rstd, const void* w, bool constant_stats, void* gx, void* gw, void* gb);

/// Over rows of `inner` elements, with w and b per element of a row, or null. Writes one mean and rstd per row.
void layer_norm_forward(ScalarType t, std::int64_t rows, std::int64_t inner, double eps, const void* x, const void* w,
                        const void* b, void* y, void* mean, void* rstd);
void layer_norm_backward(ScalarType t, std::int64_t rows, std::int64_t inner, const void* gy, const void* x,
                         const void* mean, const void* rstd, const void* w, void* gx, void* gw, void* gb);

/// Inner loops, compiled once per instruction set. Null weights count as ones, null biases as zeros.
template <class T> struct NormKernels {
    double (*sum)(const T* x, std::int64_t n);
    double (*squares)(const T* x, std::int64_t n, T mean);                      ///< sum of (x - mean)^2
    void (*dots)(const T* g, const T* x, std::int64_t n, T mean, double* sums); ///< sums of g and of g (x - mean)
    void (*affine)(const T* x, T* y, std::int64_t n, T mean, T scale, T shift); ///< (x - mean) scale + shift
    void (*combine)(const T* g, const T* x, T* gx, std::int64_t n, T mean, T a, T b, T c); ///< a g + b (x - mean) + c
    void (*affine_row)(const T* x, T* y, std::int64_t n, T mean, T rstd, const T* w, const T* b);
    void (*dots_row)(const T* g, const T* x, const T* w, std::int64_t n, T mean,
                     double* sums); ///< `dots` with g w for g
    void (*combine_row)(const T* g, const T* x, const T* w, T* gx, std::int64_t n, T mean, T a, T b, T c);
    void (*accumulate_row)(const T* g, const T* x, std::int64_t n, T mean, T rstd, T* gw,
                           T* gb); ///< gw += g xhat, gb += g; either may be null
};
template <class T> inline NormKernels<T> norm_kernels;

} // namespace reel::cpu
