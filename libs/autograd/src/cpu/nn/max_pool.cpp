// The largest element of each window and its place.
#include "cpu/nn/max_pool.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include <reel/autograd/host_data.hpp>

#include "cpu/nn/pool_walk.hpp"
#include "cpu/scratch.hpp"
#include "cpu/shape/convert.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// Window by window.
template <class A> void largest_by_window(const PoolGeometry& g, const A* in, A* out, std::int64_t* places) {
    each_window(g, [&](std::int64_t o, const PoolWindow& wz, const PoolWindow& wy, const PoolWindow& wx) {
        std::int64_t best = -1; // a window that sees padding alone
        A top(0);
        each_place(g, wz, wy, wx, [&](std::int64_t i) {
            const A v = in[i];
            // ties: the first; NaN: the last, as PyTorch
            if (best < 0 || v > top || v != v) top = v, best = i;
        });
        out[o] = top;
        places[o] = best;
    });
}

std::int64_t taps_of(const PoolWindow& w) { return (w.last - w.first + w.step - 1) / w.step; }
/// Those like the one in the middle, which most are: padding cuts the ones at the ends.
EqualWindows like_the_middle(const std::vector<PoolWindow>& all) {
    EqualWindows r;
    const auto n = std::int64_t(all.size()), middle = n / 2;
    if (n < 3) return r;
    const auto at = [&](std::int64_t i) -> const PoolWindow& { return all[std::size_t(i)]; };
    r.taps = taps_of(at(middle));
    r.step = at(middle).step;
    r.stride = at(middle).first - at(middle - 1).first;
    r.first = at(middle).first - middle * r.stride;
    const auto like = [&](std::int64_t i) {
        return taps_of(at(i)) == r.taps && at(i).step == r.step && at(i).first == r.first + i * r.stride;
    };
    if (r.taps <= 0 || r.stride <= 0) return r;
    for (r.begin = middle; r.begin > 0 && like(r.begin - 1);) --r.begin;
    for (r.end = middle + 1; r.end < n && like(r.end);) ++r.end;
    return r;
}
/// Rows of windows at a time. What a window has in common with its neighbours is compared once.
template <class A> class RowsOfWindows {
public:
    explicit RowsOfWindows(const PoolGeometry& g)
        : g_(g), equal_(like_the_middle(g.windows[2])),
          columns_(std::size_t(g.in[2] + max_pool_kernels<A>.beyond) * (sizeof(A) + sizeof(PlaceOf<A>))) {}
    static bool can(const PoolGeometry& g) { return g.in_size() <= std::numeric_limits<PlaceOf<A>>::max(); }

    void operator()(const A* in, A* out, std::int64_t* places) {
        each_row_of_windows(g_, [&](std::int64_t o, const PoolWindow& wz, const PoolWindow& wy) {
            rows_.clear();
            for (std::int64_t k = wz.first; k < wz.last; k += wz.step)
                for (std::int64_t j = wy.first; j < wy.last; j += wy.step) rows_.push_back(k * g_.in[1] + j);
            row(in, out + o, places + o);
        });
    }

private:
    void row(const A* in, A* out, std::int64_t* places) {
        if (rows_.empty()) {
            std::fill_n(out, g_.out[2], A(0));
            std::fill_n(places, g_.out[2], -1);
            return;
        }
        A* const top = columns_.template as<A>();
        auto* const at = reinterpret_cast<PlaceOf<A>*>(top + g_.in[2] + max_pool_kernels<A>.beyond);
        max_pool_kernels<A>.columns(in, rows_.data(), std::int64_t(rows_.size()), g_.in[2], top, at);
        max_pool_kernels<A>.windows(equal_, top, at, out, places);
        for (std::int64_t i = 0; i < g_.out[2]; ++i)
            if (i < equal_.begin || i >= equal_.end) one(g_.windows[2][std::size_t(i)], top, at, out[i], places[i]);
    }
    static void one(const PoolWindow& w, const A* top, const PlaceOf<A>* at, A& out, std::int64_t& place) {
        std::int64_t best = -1;
        for (std::int64_t c = w.first; c < w.last; c += w.step)
            if (best < 0 || is_better(top[c], at[c], top[best], at[best])) best = c;
        out = best < 0 ? A(0) : top[best];
        place = best < 0 ? -1 : std::int64_t(at[best]);
    }

    const PoolGeometry& g_;
    const EqualWindows equal_;
    const Scratch columns_;
    std::vector<std::int64_t> rows_;
};
/// Plane after plane, with memory and windows prepared once.
template <class A> class Largest {
public:
    explicit Largest(const PoolGeometry& g) : g_(g) {
        if constexpr (std::is_floating_point_v<A>)
            if (RowsOfWindows<A>::can(g)) rows_.emplace(g);
    }
    void operator()(const A* in, A* out, std::int64_t* places) {
        if constexpr (std::is_floating_point_v<A>)
            if (rows_) return (*rows_)(in, out, places);
        largest_by_window(g_, in, out, places);
    }

private:
    struct None {};
    const PoolGeometry& g_;
    std::conditional_t<std::is_floating_point_v<A>, std::optional<RowsOfWindows<A>>, None> rows_;
};

} // namespace

void max_pool(const PoolGeometry& g, const Tensor& input, const Tensor& output, const Tensor& places) {
    const void* x = host_data(input, "max_pool");
    void* y = host_data(output, "max_pool");
    std::int64_t* all = host_data<std::int64_t>(places, "max_pool");
    const std::int64_t n = g.in_size(), m = g.out_size();
    dispatch_real(input.scalar_type(), "max_pool", [&]<class T>() {
        using A = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;
        constexpr bool narrow = !std::is_same_v<A, T>;
        each_range_of_planes(g.planes, n + m, [&](std::int64_t begin, std::int64_t end) {
            Largest<A> largest(g);
            // planes of 16 bits are widened as a whole, once, not wherever a window looks
            const Scratch wide(narrow ? std::size_t(n + m) * sizeof(A) : 0);
            for (std::int64_t p = begin; p < end; ++p) {
                const T* in = static_cast<const T*>(x) + p * n;
                T* out = static_cast<T*>(y) + p * m;
                std::int64_t* at = all + p * m;
                if constexpr (narrow) {
                    convert_kernel(kFloat, dtype_of<T>)(wide.as<A>(), in, n);
                    largest(wide.as<A>(), wide.as<A>() + n, at);
                    for (std::int64_t o = 0; o < m; ++o) out[o] = at[o] < 0 ? T(0) : in[at[o]];
                } else largest(in, out, at);
            }
        });
    });
}

} // namespace reel::cpu
