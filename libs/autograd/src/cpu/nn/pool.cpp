// Pooling kernels but for the largest of windows (max_pool.cpp).
#include <reel/autograd/kernels/pool.hpp>

#include <algorithm>
#include <type_traits>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/nn/pool_walk.hpp"
#include "cpu/reduce/sum.hpp"
#include "cpu/scratch.hpp"
#include "cpu/shape/row_updates.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// `divisor_override`, else the window's share: with or without padding, as the tables say.
std::int64_t divisor(const PoolGeometry& g, const PoolWindow& z, const PoolWindow& y, const PoolWindow& x) {
    return g.divisor != 0 ? g.divisor : z.share * y.share * x.share;
}
/// Images, results and the places that tie them, of maps that only move elements.
struct Maps {
    std::int64_t in, out;
    void *x, *y;
    const std::int64_t* places;
    Maps(const PoolGeometry& g, const char* op, const Tensor& input, const Tensor& at, const Tensor& output)
        : in(g.in_size()), out(g.out_size()), x(host_data(input, op)), y(host_data(output, op)),
          places(host_data<std::int64_t>(at, op)) {}
};

} // namespace

void max_pool_pick(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& output) {
    const Maps m(g, "max_pool_pick", input, places, output);
    dispatch_all(input.scalar_type(), "max_pool", [&]<class T>() {
        each_plane(g.planes, m.out, [&](std::int64_t p) {
            const T* from = static_cast<const T*>(m.x) + p * m.in;
            for (std::int64_t o = p * m.out; o < (p + 1) * m.out; ++o)
                static_cast<T*>(m.y)[o] = m.places[o] < 0 ? T(0) : from[m.places[o]];
        });
    });
}
void max_pool_unpick(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& output) {
    const Maps m(g, "max_pool_unpick", input, places, output);
    dispatch_all(input.scalar_type(), "max_pool", [&]<class T>() {
        each_plane(g.planes, m.in + m.out, [&](std::int64_t p) {
            T* to = static_cast<T*>(m.x) + p * m.in;
            std::fill_n(to, m.in, T(0));
            for (std::int64_t o = p * m.out; o < (p + 1) * m.out; ++o)
                if (const std::int64_t at = m.places[o]; at >= 0) // windows may overlap
                    to[at] = T(to[at] + static_cast<const T*>(m.y)[o]);
        });
    });
}
void max_unpool(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& output) {
    const Maps m(g, "max_unpool", input, places, output);
    dispatch_all(input.scalar_type(), "max_unpool", [&]<class T>() {
        each_plane(g.planes, m.in + m.out, [&](std::int64_t p) {
            T* to = static_cast<T*>(m.x) + p * m.in;
            std::fill_n(to, m.in, T(0));
            for (std::int64_t o = p * m.out; o < (p + 1) * m.out; ++o) to[m.places[o]] = static_cast<const T*>(m.y)[o];
        });
    });
}
void max_unpool_adjoint(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& output) {
    const Maps m(g, "max_unpool", input, places, output);
    std::vector<std::int64_t> last(static_cast<std::size_t>(m.in));
    dispatch_all(input.scalar_type(), "max_unpool", [&]<class T>() {
        for (std::int64_t p = 0; p < g.planes; ++p) {
            const T* const from = static_cast<const T*>(m.x) + p * m.in;
            T* const to = static_cast<T*>(m.y) + p * m.out;
            const std::int64_t* const at = m.places + p * m.out;
            // of places that are named twice the last writer's value stood there: it alone gets the gradient
            for (std::int64_t o = 0; o < m.out; ++o) last[std::size_t(at[o])] = o;
            for (std::int64_t o = 0; o < m.out; ++o) to[o] = last[std::size_t(at[o])] == o ? from[at[o]] : T(0);
        }
    });
}
namespace {
/// The mean of a window whose elements add up to `sum`.
template <class T> T mean_of(T sum, std::int64_t by) {
    // a divisor that an integer type cannot hold is greater than any sum of it
    if constexpr (std::is_integral_v<T>) return T(std::int64_t(sum) / by);
    else return T(sum / T(by));
}
template <class T> void mean_by_window(const PoolGeometry& g, const T* in, T* out) {
    each_window(g, [&](std::int64_t o, const PoolWindow& wz, const PoolWindow& wy, const PoolWindow& wx) {
        T sum = 0;
        each_place(g, wz, wy, wx, [&](std::int64_t i) { sum = T(math::wrapping(sum) + math::wrapping(in[i])); });
        out[o] = mean_of(sum, divisor(g, wz, wy, wx));
    });
}
/// Are the windows of a row so wide, and so high, that adding up all columns of theirs first, by vectors, pays? They
/// lie in one plane, their places side by side.
bool by_columns(const PoolGeometry& g) {
    std::int64_t width = 0, height = 0;
    for (const PoolWindow& w : g.windows[0])
        if (w.last - w.first != 1) return false;
    for (const PoolWindow& w : g.windows[1]) {
        if (w.step != 1 || w.first == w.last) return false;
        height += w.last - w.first;
    }
    for (const PoolWindow& w : g.windows[2]) {
        if (w.step != 1) return false;
        width += w.last - w.first;
    }
    return g.in[2] >= 16 && 2 * width >= g.in[2] && height >= 2 * g.out[1];
}
template <class T> void mean_by_columns(const PoolGeometry& g, const T* in, T* out, T* columns) {
    each_row_of_windows(g, [&](std::int64_t o, const PoolWindow& wz, const PoolWindow& wy) {
        sum_kernels<T>.columns(in + (wz.first * g.in[1] + wy.first) * g.in[2], wy.last - wy.first, g.in[2], g.in[2],
                               columns);
        for (const PoolWindow& wx : g.windows[2]) {
            T sum = 0;
            for (std::int64_t i = wx.first; i < wx.last; ++i) sum += columns[i];
            out[o++] = mean_of(sum, divisor(g, wz, wy, wx));
        }
    });
}
} // namespace

void avg_pool(const PoolGeometry& g, const Tensor& input, const Tensor& output) {
    const void* x = host_data(input, "avg_pool");
    void* y = host_data(output, "avg_pool");
    const bool columns_first = by_columns(g);
    detail::dispatch<detail::Floats | detail::Ints>(input.scalar_type(), "avg_pool", [&]<class T>() {
        each_plane(g.planes, g.in_size() + g.out_size(), [&](std::int64_t p) {
            const T* in = static_cast<const T*>(x) + p * g.in_size();
            T* out = static_cast<T*>(y) + p * g.out_size();
            if constexpr (std::is_floating_point_v<T>)
                if (columns_first) {
                    const Scratch columns(std::size_t(g.in[2]) * sizeof(T));
                    return mean_by_columns(g, in, out, columns.as<T>());
                }
            mean_by_window(g, in, out);
        });
    });
}
namespace {
/// Does each place belong to one window, in ascending order?
bool tile(const std::vector<PoolWindow>& windows, std::int64_t size) {
    std::int64_t end = 0;
    for (const PoolWindow& w : windows) {
        if (w.first != end || w.step != 1) return false;
        end = w.last;
    }
    return end == size;
}
} // namespace

void avg_pool_adjoint(const PoolGeometry& g, const Tensor& input, const Tensor& output) {
    void* x = host_data(input, "avg_pool");
    const void* y = host_data(output, "avg_pool");
    const bool once = tile(g.windows[0], g.in[0]) && tile(g.windows[1], g.in[1]); // a row is written by one
    detail::dispatch<detail::Floats>(input.scalar_type(), "avg_pool", [&]<class T>() {
        each_plane(g.planes, g.in_size() + g.out_size(), [&](std::int64_t p) {
            const T* out = static_cast<const T*>(y) + p * g.out_size();
            T* in = static_cast<T*>(x) + p * g.in_size();
            if (!once) std::fill_n(in, g.in_size(), T(0));
            // What a row of windows gives to a row of the image, which all rows that they span are given.
            const Scratch row(std::size_t(g.in[2]) * sizeof(T));
            T* const shares = row.as<T>();
            each_row_of_windows(g, [&](std::int64_t o, const PoolWindow& wz, const PoolWindow& wy) {
                std::fill_n(shares, g.in[2], T(0));
                for (const PoolWindow& wx : g.windows[2]) {
                    const T share = out[o++] / T(divisor(g, wz, wy, wx));
                    for (std::int64_t i = wx.first; i < wx.last; i += wx.step) shares[i] += share;
                }
                for (std::int64_t k = wz.first; k < wz.last; k += wz.step)
                    for (std::int64_t j = wy.first; j < wy.last; j += wy.step) {
                        T* const to = in + (k * g.in[1] + j) * g.in[2];
                        if (once) std::copy_n(shares, g.in[2], to);
                        else row_updates<T>.add(to, shares, g.in[2]);
                    }
            });
        });
    });
}

} // namespace reel::cpu
