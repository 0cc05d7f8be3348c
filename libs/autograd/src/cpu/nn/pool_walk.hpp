// Ways over the windows of pooling: planes go to threads, windows come from tables.
#pragma once

#include <algorithm>

#include <reel/autograd/kernels/pool.hpp>
#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

/// A plane is one channel of one image: threads never write to the same place. `work` is a plane's, in elements.
/// Calls `f(first plane, end)`.
template <class F> void each_range_of_planes(std::int64_t planes, std::int64_t work, F f) {
    parallel_for(0, planes, std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(work, 1)), f);
}
template <class F> void each_plane(std::int64_t planes, std::int64_t work, F f) {
    each_range_of_planes(planes, work, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p) f(p);
    });
}
/// Calls `f(output position, z, y, x windows)`.
template <class F> void each_window(const PoolGeometry& g, F f) {
    std::int64_t o = 0;
    for (const PoolWindow& z : g.windows[0])
        for (const PoolWindow& y : g.windows[1])
            for (const PoolWindow& x : g.windows[2]) f(o++, z, y, x);
}
/// Calls `f(first output position, z, y windows)` for every row of windows.
template <class F> void each_row_of_windows(const PoolGeometry& g, F f) {
    std::int64_t o = 0;
    for (const PoolWindow& z : g.windows[0])
        for (const PoolWindow& y : g.windows[1]) {
            f(o, z, y);
            o += g.out[2];
        }
}
/// Calls `f(place in the image)` for a window's elements in order.
template <class F>
void each_place(const PoolGeometry& g, const PoolWindow& z, const PoolWindow& y, const PoolWindow& x, F f) {
    for (std::int64_t k = z.first; k < z.last; k += z.step)
        for (std::int64_t j = y.first; j < y.last; j += y.step) {
            const std::int64_t row = (k * g.in[1] + j) * g.in[2];
            for (std::int64_t i = x.first; i < x.last; i += x.step) f(row + i);
        }
}

} // namespace reel::cpu
