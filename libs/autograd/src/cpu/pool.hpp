// Pooling over windows of one to three dimensions: maxima with their places, means, and the adjoints of both.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/dtype.hpp>

namespace reel::cpu {

/// What one output position reads along one dimension: first, first + step, ... below last; `share` counts for a mean.
struct PoolWindow {
    std::int64_t first, last, step, share;
};
/// `planes` images of up to three dimensions (the leading ones may have size 1). Windows lie inside of the image.
struct PoolGeometry {
    std::int64_t planes = 1, in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
    std::vector<PoolWindow> windows[3];
    std::int64_t divisor = 0; ///< of means: 0 for the product of the windows' shares

    std::int64_t in_size() const { return in[0] * in[1] * in[2]; }
    std::int64_t out_size() const { return out[0] * out[1] * out[2]; }
};

/// The largest element of each window (NaN counts as largest) and its place in the image.
void max_pool(ScalarType t, const PoolGeometry& g, const void* x, void* y, std::int64_t* places);
/// y[o] = x[places[o]] and its adjoint x[places[o]] += y[o]; images of `in` and `out` elements.
void pick(ScalarType t, std::int64_t planes, std::int64_t in, std::int64_t out, const void* x,
          const std::int64_t* places, void* y);
void unpick(ScalarType t, std::int64_t planes, std::int64_t in, std::int64_t out, const void* y,
            const std::int64_t* places, void* x);
/// x[places[o]] = y[o], zeros elsewhere; of several the last one stays.
void place(ScalarType t, std::int64_t planes, std::int64_t in, std::int64_t out, const void* y,
           const std::int64_t* places, void* x);
/// The mean of each window (integers divide as integers), and its adjoint. float32, float64, integers.
void mean_pool(ScalarType t, const PoolGeometry& g, const void* x, void* y);
void mean_pool_adjoint(ScalarType t, const PoolGeometry& g, const void* y, void* x);

} // namespace reel::cpu
