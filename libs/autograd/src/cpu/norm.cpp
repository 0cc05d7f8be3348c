// Normalisation over channels, groups and rows; the inner loops are in kernels/norm.cpp.
#include "cpu/norm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <reel/autograd/parallel.hpp>

#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

template <class F> void dispatch_norm(ScalarType t, F f) { detail::dispatch<detail::Floats>(t, "normalisation", f); }

std::int64_t grain_for(std::int64_t work) { return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(work, 1)); }

/// Calls `f(n, c)` for every plane, planes of one stat on one thread, in order.
template <class F> void each_stat(const NormGeometry& g, F f) {
    const std::int64_t per_group = g.groups == 0 ? 1 : g.channels / g.groups;
    parallel_for(0, g.num_stats(), grain_for(g.count()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s) {
            if (g.groups == 0)
                for (std::int64_t n = 0; n < g.batch; ++n) f(s, n, s);
            else
                for (std::int64_t c = s % g.groups * per_group; c < (s % g.groups + 1) * per_group; ++c)
                    f(s, s / g.groups, c);
        }
    });
}

} // namespace

void norm_moments(ScalarType t, const NormGeometry& g, const void* x, double* mean, double* var) {
    dispatch_norm(t, [&]<class T>() {
        const auto& k = norm_kernels<T>;
        const auto plane = [&](std::int64_t n, std::int64_t c) {
            return static_cast<const T*>(x) + (n * g.channels + c) * g.length;
        };
        const double count = double(g.count());
        std::fill_n(mean, g.num_stats(), 0.0);
        std::fill_n(var, g.num_stats(), 0.0);
        each_stat(g, [&](std::int64_t s, std::int64_t n, std::int64_t c) { mean[s] += k.sum(plane(n, c), g.length); });
        for (std::int64_t s = 0; s < g.num_stats(); ++s) mean[s] /= count;
        each_stat(g, [&](std::int64_t s, std::int64_t n, std::int64_t c) {
            // The kernel subtracts a rounded mean; the difference enters the variance as a square.
            var[s] += k.squares(plane(n, c), g.length, T(mean[s]));
        });
        for (std::int64_t s = 0; s < g.num_stats(); ++s) {
            const double off = mean[s] - double(T(mean[s]));
            var[s] = std::max(0.0, var[s] / count - off * off) + 0 * var[s];
        }
    });
}

void norm_forward(ScalarType t, const NormGeometry& g, const void* x, const void* mean, const void* rstd, const void* w,
                  const void* b, void* y) {
    dispatch_norm(t, [&]<class T>() {
        parallel_for(0, g.batch * g.channels, grain_for(g.length), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t p = begin; p < end; ++p) {
                const std::int64_t c = p % g.channels, s = g.stat(p / g.channels, c);
                const T scale = static_cast<const T*>(rstd)[s] * (w ? static_cast<const T*>(w)[c] : T(1)),
                        shift = b ? static_cast<const T*>(b)[c] : T(0);
                norm_kernels<T>.affine(static_cast<const T*>(x) + p * g.length, static_cast<T*>(y) + p * g.length,
                                       g.length, static_cast<const T*>(mean)[s], scale, shift);
            }
        });
    });
}

void norm_backward(ScalarType t, const NormGeometry& g, const void* gy, const void* x, const void* mean,
                   const void* rstd, const void* w, bool constant_stats, void* gx, void* gw, void* gb) {
    dispatch_norm(t, [&]<class T>() {
        const auto& k = norm_kernels<T>;
        const T* m = static_cast<const T*>(mean);
        const T* r = static_cast<const T*>(rstd);
        const auto weight = [&](std::int64_t c) { return w ? static_cast<const T*>(w)[c] : T(1); };
        const std::int64_t planes = g.batch * g.channels;
        std::vector<double> sums(std::size_t(2 * planes)), total(std::size_t(2 * g.num_stats()), 0.0);
        const bool need_sums = gw || gb || !constant_stats;
        if (need_sums)
            parallel_for(0, planes, grain_for(g.length), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t p = begin; p < end; ++p)
                    k.dots(static_cast<const T*>(gy) + p * g.length, static_cast<const T*>(x) + p * g.length, g.length,
                           m[g.stat(p / g.channels, p % g.channels)], &sums[std::size_t(2 * p)]);
            });
        for (std::int64_t c = 0; need_sums && c < g.channels; ++c) {
            double sg = 0, sx = 0;
            for (std::int64_t n = 0; n < g.batch; ++n) {
                const std::int64_t p = n * g.channels + c, s = g.stat(n, c);
                sg += sums[std::size_t(2 * p)];
                sx += sums[std::size_t(2 * p + 1)] * double(r[s]);
                total[std::size_t(2 * s)] += double(weight(c)) * sums[std::size_t(2 * p)];
                total[std::size_t(2 * s + 1)] += double(weight(c)) * sums[std::size_t(2 * p + 1)];
            }
            if (gw) static_cast<T*>(gw)[c] = T(sx);
            if (gb) static_cast<T*>(gb)[c] = T(sg);
        }
        if (!gx) return;
        const double count = double(g.count());
        parallel_for(0, planes, grain_for(g.length), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t p = begin; p < end; ++p) {
                const std::int64_t c = p % g.channels, s = g.stat(p / g.channels, c);
                const double rs = double(r[s]);
                const T a = T(rs) * weight(c);
                const T b = constant_stats ? T(0) : T(-rs * rs * rs * total[std::size_t(2 * s + 1)] / count);
                const T shift = constant_stats ? T(0) : T(-rs * total[std::size_t(2 * s)] / count);
                k.combine(static_cast<const T*>(gy) + p * g.length, static_cast<const T*>(x) + p * g.length,
                          static_cast<T*>(gx) + p * g.length, g.length, m[s], a, b, shift);
            }
        });
    });
}

void layer_norm_forward(ScalarType t, std::int64_t rows, std::int64_t inner, double eps, const void* x, const void* w,
                        const void* b, void* y, void* mean, void* rstd) {
    dispatch_norm(t, [&]<class T>() {
        const auto& k = norm_kernels<T>;
        parallel_for(0, rows, grain_for(inner), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
                const T* in = static_cast<const T*>(x) + r * inner;
                const double m = k.sum(in, inner) / double(inner), off = m - double(T(m));
                const double v = k.squares(in, inner, T(m)) / double(inner);
                const T rs = T(1 / std::sqrt(std::max(0.0, v - off * off) + 0 * v + eps));
                static_cast<T*>(mean)[r] = T(m);
                static_cast<T*>(rstd)[r] = rs;
                k.affine_row(in, static_cast<T*>(y) + r * inner, inner, T(m), rs, static_cast<const T*>(w),
                             static_cast<const T*>(b));
            }
        });
    });
}

void layer_norm_backward(ScalarType t, std::int64_t rows, std::int64_t inner, const void* gy, const void* x,
                         const void* mean, const void* rstd, const void* w, void* gx, void* gw, void* gb) {
    dispatch_norm(t, [&]<class T>() {
        const auto& k = norm_kernels<T>;
        const T* m = static_cast<const T*>(mean);
        const T* rs = static_cast<const T*>(rstd);
        const auto row = [&](const void* p, std::int64_t r) { return static_cast<const T*>(p) + r * inner; };
        if (gx)
            parallel_for(0, rows, grain_for(inner), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t r = begin; r < end; ++r) {
                    double s[2];
                    k.dots_row(row(gy, r), row(x, r), static_cast<const T*>(w), inner, m[r], s);
                    const double d = double(rs[r]), n = double(inner);
                    k.combine_row(row(gy, r), row(x, r), static_cast<const T*>(w), static_cast<T*>(gx) + r * inner,
                                  inner, m[r], T(d), T(-d * d * d * s[1] / n), T(-d * s[0] / n));
                }
            });
        if (!gw && !gb) return;
        // Partial sums over a number of row blocks that depends on the shape alone.
        const std::int64_t parts = std::clamp<std::int64_t>(rows * inner / 65536, 1, 16),
                           step = (rows + parts - 1) / parts;
        std::vector<T> partial(std::size_t(2 * parts * inner), T(0));
        parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t p = begin; p < end; ++p) {
                T* a = partial.data() + 2 * p * inner;
                for (std::int64_t r = p * step; r < std::min(rows, (p + 1) * step); ++r)
                    k.accumulate_row(row(gy, r), row(x, r), inner, m[r], rs[r], gw ? a : nullptr,
                                     gb ? a + inner : nullptr);
            }
        });
        const auto reduce = [&](void* out, std::int64_t from) {
            for (std::int64_t i = 0; out && i < inner; ++i) {
                T s = 0;
                for (std::int64_t p = 0; p < parts; ++p) s += partial[std::size_t(2 * p * inner + from + i)];
                static_cast<T*>(out)[i] = s;
            }
        };
        reduce(gw, 0);
        reduce(gb, inner);
    });
}

} // namespace reel::cpu
