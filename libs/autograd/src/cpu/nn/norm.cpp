// Normalisation over channels, groups and rows; the inner loops are in kernels/norm.cpp.
#include "cpu/nn/norm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/norm.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/norm_columns.hpp"
#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

template <class F> void dispatch_norm(const char* op, const Tensor& x, F f) {
    detail::dispatch<detail::Floats>(x.scalar_type(), op, f);
}
/// The same, and the 16-bit types.
template <class F> void dispatch_any_norm(const char* op, const Tensor& x, F f) {
    if (x.scalar_type() == kHalf) f.template operator()<Half>();
    else if (x.scalar_type() == kBFloat16) f.template operator()<BFloat16>();
    else dispatch_norm(op, x, f);
}
/// Pointers, null for undefined tensors.
template <class T> struct Pointers {
    const char* op;
    T* operator()(const Tensor& t) const { return host_data_or_null<T>(t, op); }
};

std::int64_t grain_for(std::int64_t work) { return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(work, 1)); }

/// Calls `f(n, c)` for the planes of statistic `s`, in order.
template <class F> void each_plane(const NormGeometry& g, std::int64_t s, F f) {
    const std::int64_t per_group = g.groups == 0 ? 1 : g.channels / g.groups;
    if (g.groups == 0)
        for (std::int64_t n = 0; n < g.batch; ++n) f(n, s);
    else
        for (std::int64_t c = s % g.groups * per_group; c < (s % g.groups + 1) * per_group; ++c) f(s / g.groups, c);
}

} // namespace

void norm_moments(const char* op, const NormGeometry& g, const Tensor& mean_, const Tensor& var_, const Tensor& x_) {
    double *mean = host_data<double>(mean_, op), *var = host_data<double>(var_, op);
    dispatch_any_norm(op, x_, [&]<class T>() {
        using C = Wide<T>;
        const auto& k = norm_kernels<T>;
        const T* const x = host_data<T>(x_, op);
        if (by_columns(g)) return column_moments(g, mean, var, x);
        const auto plane = [&](std::int64_t n, std::int64_t c) { return x + (n * g.channels + c) * g.length; };
        const double count = double(g.count());
        // A statistic's planes are read for its variance while they are near.
        parallel_for(0, g.num_stats(), grain_for(g.count()), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t s = begin; s < end; ++s) {
                double sum = 0, squares = 0;
                each_plane(g, s, [&](std::int64_t n, std::int64_t c) { sum += k.sum(plane(n, c), g.length); });
                mean[s] = sum / count;
                // The kernel subtracts a rounded mean; the difference enters the variance as a square.
                const C rounded = C(mean[s]);
                each_plane(g, s, [&](std::int64_t n, std::int64_t c) {
                    squares += k.squares(plane(n, c), g.length, rounded);
                });
                var[s] = variance_of(squares, count, mean[s] - double(rounded));
            }
        });
    });
}

void norm_rstd(const char* op, const Tensor& rstd, const Tensor& var, double eps) {
    const double* const v = host_data<double>(var, op);
    dispatch_norm(op, rstd, [&]<class T>() {
        T* const r = host_data<T>(rstd, op);
        for (std::int64_t i = 0; i < var.numel(); ++i) r[i] = T(1 / std::sqrt(v[i] + eps));
    });
}

void norm_running(const char* op, const Tensor& running, const Tensor& before, const Tensor& moments, double scale,
                  double momentum) {
    const std::int64_t channels = running.numel(), examples = channels == 0 ? 0 : moments.numel() / channels;
    const double *m = host_data<double>(moments, op), *old = host_data<double>(before, op);
    double* const to = host_data<double>(running, op);
    for (std::int64_t c = 0; c < channels; ++c) {
        double mean = 0;
        for (std::int64_t n = 0; n < examples; ++n) mean += m[n * channels + c] / double(examples);
        to[c] = momentum * (mean * scale) + (1 - momentum) * old[c];
    }
}

void norm_forward(const char* op, const NormGeometry& g, const Tensor& y_, const Tensor& x_, const Tensor& mean_,
                  const Tensor& rstd_, const Tensor& weight, const Tensor& bias) {
    dispatch_any_norm(op, x_, [&]<class T>() {
        using C = Wide<T>;
        const Pointers<T> elements{op};
        const Pointers<C> data{op};
        const T* const x = elements(x_);
        const C *mean = data(mean_), *rstd = data(rstd_), *w = data(weight), *b = data(bias);
        T* const y = elements(y_);
        if (by_columns(g)) return column_forward(g, y, x, mean, rstd, w, b);
        parallel_for(0, g.batch * g.channels, grain_for(g.length), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t p = begin; p < end; ++p) {
                const std::int64_t c = p % g.channels, s = g.stat(p / g.channels, c);
                const C scale = rstd[s] * (w ? w[c] : C(1)), shift = b ? b[c] : C(0);
                norm_kernels<T>.affine(x + p * g.length, y + p * g.length, g.length, mean[s], scale, shift);
            }
        });
    });
}

void norm_backward(const char* op, const NormGeometry& g, const Tensor& gy_, const Tensor& x_, const Tensor& mean,
                   const Tensor& rstd, const Tensor& weight_, bool constant_stats, const Tensor& gx_, const Tensor& gw_,
                   const Tensor& gb_) {
    dispatch_any_norm(op, x_, [&]<class T>() {
        using C = Wide<T>;
        const auto& k = norm_kernels<T>;
        const Pointers<T> elements{op};
        const Pointers<C> data{op};
        const T *gy = elements(gy_), *x = elements(x_);
        const C *m = data(mean), *r = data(rstd), *w = data(weight_);
        T* const gx = elements(gx_);
        C *gw = data(gw_), *gb = data(gb_);
        if (by_columns(g)) return column_backward(g, ColumnBackward<T, C>{gy, x, m, r, w, constant_stats, gx, gw, gb});
        const auto weight = [&](std::int64_t c) { return w ? w[c] : C(1); };
        const std::int64_t planes = g.batch * g.channels;
        std::vector<double> sums(std::size_t(2 * planes)), total(std::size_t(2 * g.num_stats()), 0.0);
        // With n = (x - m) r: gw = sum gy n, gb = sum gy and, where m and r depend on x,
        // gx = r w gy - r (sum w gy) / N - r^3 (x - m) (sum w gy (x - m)) / N.
        // `sums` holds, for each plane, sum gy and sum gy (x - m); `total` the same times w for each statistic.
        const bool need_sums = gw || gb || !constant_stats;
        if (need_sums)
            parallel_for(0, planes, grain_for(g.length), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t p = begin; p < end; ++p)
                    k.dots(gy + p * g.length, x + p * g.length, g.length, m[g.stat(p / g.channels, p % g.channels)],
                           &sums[std::size_t(2 * p)]);
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
            if (gw) gw[c] = C(sx);
            if (gb) gb[c] = C(sg);
        }
        if (!gx) return;
        const double count = double(g.count());
        parallel_for(0, planes, grain_for(g.length), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t p = begin; p < end; ++p) {
                const std::int64_t c = p % g.channels, s = g.stat(p / g.channels, c);
                const double rs = double(r[s]);
                // gx = a gy + b (x - m) + shift
                const C a = C(rs) * weight(c);
                const C b = constant_stats ? C(0) : C(-rs * rs * rs * total[std::size_t(2 * s + 1)] / count);
                const C shift = constant_stats ? C(0) : C(-rs * total[std::size_t(2 * s)] / count);
                k.combine(gy + p * g.length, x + p * g.length, gx + p * g.length, g.length, m[s], a, b, shift);
            }
        });
    });
}

} // namespace reel::cpu
