// Columns are shared by threads where sums run down them, rows where each element is for itself.
#include "cpu/nn/norm_columns.hpp"

#include <algorithm>
#include <vector>

#include <reel/autograd/half.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/norm.hpp"
#include "cpu/rows.hpp"

namespace reel::cpu {

namespace {
constexpr std::int64_t strip = 128; ///< columns that go together: whole cache lines

/// Calls `f(first, count)` for strips of columns, over threads.
template <class F> void each_strip(const NormGeometry& g, const F& f) {
    parallel_for(0, (g.channels + strip - 1) / strip, row_grain(g.batch * strip),
                 [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t s = begin; s < end; ++s) f(s * strip, std::min(strip, g.channels - s * strip));
                 });
}
template <class F> void each_row(const NormGeometry& g, const F& f) {
    parallel_for(0, g.batch, row_grain(g.channels), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin; n < end; ++n) f(n * g.channels);
    });
}
} // namespace

template <class T> void column_moments(const NormGeometry& g, double* mean, double* var, const T* x) {
    using C = Wide<T>;
    const double count = double(g.count());
    each_strip(g, [&](std::int64_t first, std::int64_t some) {
        double *const m = mean + first, *const v = var + first;
        C rounded[strip];
        std::fill_n(m, some, 0.0);
        std::fill_n(v, some, 0.0);
        for (std::int64_t n = 0; n < g.batch; ++n) norm_columns<T>.add(x + n * g.channels + first, some, m);
        for (std::int64_t c = 0; c < some; ++c) rounded[c] = C(m[c] /= count);
        for (std::int64_t n = 0; n < g.batch; ++n)
            norm_columns<T>.add_squares(x + n * g.channels + first, some, rounded, v);
        for (std::int64_t c = 0; c < some; ++c) v[c] = variance_of(v[c], count, m[c] - double(rounded[c]));
    });
}

template <class T, class C>
void column_forward(const NormGeometry& g, T* y, const T* x, const C* mean, const C* rstd, const C* weight,
                    const C* bias) {
    std::vector<C> scale(rstd, rstd + g.channels), shift(std::size_t(g.channels), C(0));
    if (bias) std::copy_n(bias, g.channels, shift.begin());
    for (std::size_t c = 0; weight && c < scale.size(); ++c) scale[c] *= weight[c];
    each_row(g, [&](std::int64_t at) {
        norm_columns<T>.affine(x + at, y + at, g.channels, mean, scale.data(), shift.data());
    });
}

template <class T, class C> void column_backward(const NormGeometry& g, const ColumnBackward<T, C>& b) {
    const double count = double(g.count());
    std::vector<C> scale(std::size_t(g.channels)), slope(scale), shift(scale);
    each_strip(g, [&](std::int64_t first, std::int64_t some) {
        double sum[strip] = {}, dots[strip] = {};
        if (b.gw || b.gb || !b.constant_stats)
            for (std::int64_t n = 0; n < g.batch; ++n) {
                const std::int64_t at = n * g.channels + first;
                norm_columns<T>.add_dots(b.gy + at, b.x + at, some, b.mean + first, sum, dots);
            }
        for (std::int64_t k = 0; k < some; ++k) {
            const std::int64_t c = first + k;
            const double r = double(b.rstd[c]), w = b.weight ? double(b.weight[c]) : 1.0;
            if (b.gw) b.gw[c] = C(dots[k] * r);
            if (b.gb) b.gb[c] = C(sum[k]);
            scale[std::size_t(c)] = C(r) * C(w);
            if (b.constant_stats) continue;
            slope[std::size_t(c)] = C(-r * r * r * (w * dots[k]) / count);
            shift[std::size_t(c)] = C(-r * (w * sum[k]) / count);
        }
    });
    if (!b.gx) return;
    each_row(g, [&](std::int64_t at) {
        norm_columns<T>.combine(b.gy + at, b.x + at, b.gx + at, g.channels, b.mean, scale.data(), slope.data(),
                                shift.data());
    });
}

#define REEL_INSTANTIATE(T)                                                                                            \
    template void column_moments(const NormGeometry&, double*, double*, const T*);                                     \
    template void column_forward(const NormGeometry&, T*, const T*, const Wide<T>*, const Wide<T>*, const Wide<T>*,    \
                                 const Wide<T>*);                                                                      \
    template void column_backward(const NormGeometry&, const ColumnBackward<T, Wide<T>>&);
REEL_INSTANTIATE(float)
REEL_INSTANTIATE(double)
REEL_INSTANTIATE(Half)
REEL_INSTANTIATE(BFloat16)
#undef REEL_INSTANTIATE

} // namespace reel::cpu
