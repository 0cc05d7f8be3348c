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

/// Calls `f(n * channels + c)` for the planes of statistic `s`, in order.
template <class F> void each_plane(const NormGeometry& g, std::int64_t s, F f) {
    const bool of_channel = g.groups == 0;
    const std::int64_t count = of_channel ? g.batch : g.channels / g.groups, step = of_channel ? g.channels : 1;
    for (std::int64_t i = 0, p = of_channel ? s : s * count; i < count; ++i, p += step) f(p);
}

struct Moments {
    double mean, variance;
};
/// Elements are read for their variance while they are near. A group's planes lie one after the other.
template <class T> Moments moments_of(const NormGeometry& g, std::int64_t s, const T* x) {
    using C = Wide<T>;
    const auto& k = norm_kernels<T>;
    const double count = double(g.count());
    const auto added = [&](auto f) {
        if (g.groups != 0) return f(x + s * g.count(), g.count());
        double sum = 0;
        each_plane(g, s, [&](std::int64_t plane) { sum += f(x + plane * g.length, g.length); });
        return sum;
    };
    const double mean = added(k.sum) / count;
    // The kernel subtracts a rounded mean; the difference enters the variance as a square.
    const C rounded = C(mean);
    const double squares = added([&](const T* p, std::int64_t n) { return k.squares(p, n, rounded); });
    return {mean, variance_of(squares, count, mean - double(rounded))};
}
/// Is all that a statistic needs done at once? Its planes then stay near, where they are few enough; there must be
/// enough of them for the threads.
template <class T> bool by_stats(const NormGeometry& g) {
    constexpr std::int64_t near = 1 << 20;
    const std::int64_t threads = get_num_threads();
    return g.count() * std::int64_t(sizeof(T)) <= near && (threads == 1 || g.num_stats() >= 2 * threads);
}
/// The map of planes, `weight` and `bias` of which may be null.
template <class T> struct Affine {
    using C = Wide<T>;
    const NormGeometry& g;
    const T* x;
    T* y;
    const C *mean, *rstd, *weight, *bias;
    void operator()(std::int64_t plane) const {
        const std::int64_t c = plane % g.channels, s = g.stat(plane / g.channels, c);
        const C scale = rstd[s] * (weight ? weight[c] : C(1)), shift = bias ? bias[c] : C(0);
        norm_kernels<T>.affine(x + plane * g.length, y + plane * g.length, g.length, mean[s], scale, shift);
    }
    void all() const {
        parallel_for(0, g.batch * g.channels, grain_for(g.length), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t p = begin; p < end; ++p) (*this)(p);
        });
    }
};
/// With n = (x - m) r: gw = sum gy n, gb = sum gy and, where m and r depend on x,
/// gx = r w gy - r (sum w gy) / N - r^3 (x - m) (sum w gy (x - m)) / N.
template <class T> struct PlaneGradients {
    using C = Wide<T>;
    const NormGeometry& g;
    const T *gy, *x;
    const C *m, *r, *w;
    bool constant_stats;
    T* gx;
    C *gw, *gb;
    std::int64_t planes = g.batch * g.channels;
    /// For each plane sum gy and sum gy (x - m); the same times w for each statistic.
    std::vector<double> sums = std::vector<double>(std::size_t(2 * planes)),
                        total = std::vector<double>(std::size_t(2 * g.num_stats()));

    C weight(std::int64_t plane) const { return w ? w[plane % g.channels] : C(1); }
    std::int64_t stat(std::int64_t plane) const { return g.stat(plane / g.channels, plane % g.channels); }
    void dots(std::int64_t p) {
        norm_kernels<T>.dots(gy + p * g.length, x + p * g.length, g.length, m[stat(p)], &sums[std::size_t(2 * p)]);
    }
    void add_up(std::int64_t s) {
        each_plane(g, s, [&](std::int64_t p) {
            for (int i = 0; i < 2; ++i)
                total[std::size_t(2 * s + i)] += double(weight(p)) * sums[std::size_t(2 * p + i)];
        });
    }
    /// gx = a gy + b (x - m) + shift
    void combine(std::int64_t p) const {
        const std::int64_t s = stat(p);
        const double rs = double(r[s]), count = double(g.count());
        const C a = C(rs) * weight(p);
        const C b = constant_stats ? C(0) : C(-rs * rs * rs * total[std::size_t(2 * s + 1)] / count);
        const C shift = constant_stats ? C(0) : C(-rs * total[std::size_t(2 * s)] / count);
        norm_kernels<T>.combine(gy + p * g.length, x + p * g.length, gx + p * g.length, g.length, m[s], a, b, shift);
    }
    void of_affine() const {
        for (std::int64_t c = 0; c < g.channels; ++c) {
            double sg = 0, sx = 0;
            for (std::int64_t n = 0; n < g.batch; ++n) {
                const std::int64_t p = n * g.channels + c;
                sg += sums[std::size_t(2 * p)];
                sx += sums[std::size_t(2 * p + 1)] * double(r[g.stat(n, c)]);
            }
            if (gw) gw[c] = C(sx);
            if (gb) gb[c] = C(sg);
        }
    }
    void operator()() {
        const auto each = [&](std::int64_t count, std::int64_t work, const auto& f) {
            parallel_for(0, count, grain_for(work), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) f(i);
            });
        };
        const auto dots_of = [&](std::int64_t p) { dots(p); };
        const auto combine_to = [&](std::int64_t p) { combine(p); };
        const bool need_sums = gw || gb || !constant_stats, at_once = need_sums && gx && by_stats<T>(g);
        if (at_once)
            each(g.num_stats(), g.count(), [&](std::int64_t s) {
                each_plane(g, s, dots_of);
                add_up(s);
                each_plane(g, s, combine_to);
            });
        else if (need_sums) {
            each(planes, g.length, dots_of);
            for (std::int64_t s = 0; s < g.num_stats(); ++s) add_up(s);
        }
        if (gx && !at_once) each(planes, g.length, combine_to);
        if (gw || gb) of_affine();
    }
};

} // namespace

void norm_moments(const char* op, const NormGeometry& g, const Tensor& mean_, const Tensor& var_, const Tensor& x_) {
    double *mean = host_data<double>(mean_, op), *var = host_data<double>(var_, op);
    dispatch_any_norm(op, x_, [&]<class T>() {
        const T* const x = host_data<T>(x_, op);
        if (by_columns(g)) return column_moments(g, mean, var, x);
        parallel_for(0, g.num_stats(), grain_for(g.count()), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t s = begin; s < end; ++s) {
                const Moments m = moments_of(g, s, x);
                mean[s] = m.mean;
                var[s] = m.variance;
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
        Affine<T>{g, x, y, mean, rstd, w, b}.all();
    });
}

void group_norm(const char* op, const NormGeometry& g, const Tensor& y_, const Tensor& mean_, const Tensor& rstd_,
                const Tensor& x_, const Tensor& weight, const Tensor& bias, double eps) {
    dispatch_any_norm(op, x_, [&]<class T>() {
        using C = Wide<T>;
        const Pointers<T> elements{op};
        const Pointers<C> data{op};
        const T* const x = elements(x_);
        C *const mean = data(mean_), *const rstd = data(rstd_);
        const Affine<T> affine{g, x, elements(y_), mean, rstd, data(weight), data(bias)};
        const bool at_once = by_stats<T>(g);
        parallel_for(0, g.num_stats(), grain_for(g.count()), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t s = begin; s < end; ++s) {
                const Moments m = moments_of(g, s, x);
                mean[s] = C(m.mean);
                rstd[s] = C(1 / std::sqrt(m.variance + eps));
                if (at_once) each_plane(g, s, affine);
            }
        });
        if (!at_once) affine.all();
    });
}

void norm_backward(const char* op, const NormGeometry& g, const Tensor& gy, const Tensor& x, const Tensor& mean,
                   const Tensor& rstd, const Tensor& weight, bool constant_stats, const Tensor& gx, const Tensor& gw,
                   const Tensor& gb) {
    dispatch_any_norm(op, x, [&]<class T>() {
        using C = Wide<T>;
        const Pointers<T> elements{op};
        const Pointers<C> data{op};
        const T *from = elements(gy), *in = elements(x);
        const C *m = data(mean), *r = data(rstd), *w = data(weight);
        T* const to = elements(gx);
        C *of_weight = data(gw), *of_bias = data(gb);
        if (by_columns(g))
            return column_backward(g, ColumnBackward<T, C>{from, in, m, r, w, constant_stats, to, of_weight, of_bias});
        PlaneGradients<T>{g, from, in, m, r, w, constant_stats, to, of_weight, of_bias}();
    });
}

} // namespace reel::cpu
