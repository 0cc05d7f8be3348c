// Kernels of pooling: maxima with their places, means, and the adjoints of both.
#pragma once

#include <vector>

#include <reel/autograd/kernel.hpp>

namespace reel {

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

// All tensors are dense: `input` holds images of `in_size()` elements, `out` and `places` (int64) of `out_size()`.
namespace cpu {
void max_pool(const PoolGeometry& g, const Tensor& input, const Tensor& out, const Tensor& places);
void max_pool_pick(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& out);
void max_pool_unpick(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& out);
void max_unpool(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& out);
void max_unpool_adjoint(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& out);
void avg_pool(const PoolGeometry& g, const Tensor& input, const Tensor& out);
void avg_pool_adjoint(const PoolGeometry& g, const Tensor& input, const Tensor& out);
} // namespace cpu

namespace kernels {
/// The largest element of each window (NaN counts as largest) and its place in the image. Not for complex or bool.
inline constinit Kernel<decltype(cpu::max_pool), Writes<2, 3>> max_pool{"max_pool", &cpu::max_pool};
/// out[o] = input[places[o]], any dtype.
inline constinit Kernel<decltype(cpu::max_pool_pick), Writes<3>> max_pool_pick{"max_pool_pick", &cpu::max_pool_pick};
/// The adjoint: fills `input`, input[places[o]] += out[o], zeros elsewhere.
inline constinit Kernel<decltype(cpu::max_pool_unpick), Writes<1>> max_pool_unpick{"max_pool_unpick",
                                                                                   &cpu::max_pool_unpick};
/// Fills `input`: input[places[o]] = out[o], zeros elsewhere; of several the last one stays.
inline constinit Kernel<decltype(cpu::max_unpool), Writes<1>> max_unpool{"max_unpool", &cpu::max_unpool};
/// Its adjoint: out[o] = input[places[o]] where the element that stayed came from, zero where another one overwrote it.
inline constinit Kernel<decltype(cpu::max_unpool_adjoint), Writes<3>> max_unpool_adjoint{"max_unpool",
                                                                                         &cpu::max_unpool_adjoint};
/// The mean of each window. float32, float64, integers, which divide as integers.
inline constinit Kernel<decltype(cpu::avg_pool), Writes<2>> avg_pool{"avg_pool", &cpu::avg_pool};
/// Its adjoint: fills `input` from `out`. float32, float64.
inline constinit Kernel<decltype(cpu::avg_pool_adjoint), Writes<1>> avg_pool_adjoint{"avg_pool_adjoint",
                                                                                     &cpu::avg_pool_adjoint};
} // namespace kernels

} // namespace reel
