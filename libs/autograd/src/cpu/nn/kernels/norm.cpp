// Inner loops of the normalisations.
#include "cpu/nn/norm.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

constexpr std::int64_t block = 4096; // partial sums in T stay this short

/// Sums `f(i)` (lanes from i on) and `tail(i)` over [0, n): lanes within a block, float64 across blocks.
template <class T, class F, class G> double total(std::int64_t n, F f, G tail) {
    using V = Vec<T>;
    constexpr int w = V::size;
    double sum = 0;
    for (std::int64_t start = 0; start < n; start += block) {
        const std::int64_t end = start + block < n ? start + block : n;
        V a(T(0)), b(T(0)), c(T(0)), d(T(0));
        std::int64_t i = start;
        for (; i + 4 * w <= end; i += 4 * w) {
            a += f(i);
            b += f(i + w);
            c += f(i + 2 * w);
            d += f(i + 3 * w);
        }
        for (; i + w <= end; i += w) a += f(i);
        const V all = (a + b) + (c + d);
        double lane[w];
        for (int k = 0; k < w; ++k) lane[k] = double(all[k]);
#pragma GCC unroll 4
        for (int step = w / 2; step > 0; step /= 2)
#pragma GCC unroll 8
            for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
        double part = lane[0];
        for (; i < end; ++i) part += double(tail(i));
        sum += part;
    }
    return sum;
}

template <class T> double sum(const T* x, std::int64_t n) {
    using C = Compute<T>;
    return total<C>(
        n, [x](std::int64_t i) { return load_as(x + i); }, [x](std::int64_t i) { return C(x[i]); });
}
template <class T> double squares(const T* x, std::int64_t n, Compute<T> mean) {
    using C = Compute<T>;
    const Vec<C> m(mean);
    return total<C>(
        n,
        [=](std::int64_t i) {
            const Vec<C> d = load_as(x + i) - m;
            return d * d;
        },
        [=](std::int64_t i) { return (C(x[i]) - mean) * (C(x[i]) - mean); });
}
template <class T> void dots(const T* g, const T* x, std::int64_t n, Compute<T> mean, double* sums) {
    using C = Compute<T>;
    const Vec<C> m(mean);
    sums[0] = sum(g, n);
    sums[1] = total<C>(
        n, [=](std::int64_t i) { return load_as(g + i) * (load_as(x + i) - m); },
        [=](std::int64_t i) { return C(g[i]) * (C(x[i]) - mean); });
}
template <class T> void affine(const T* x, T* y, std::int64_t n, Compute<T> mean, Compute<T> scale, Compute<T> shift) {
    using C = Compute<T>;
    std::int64_t i = 0;
    if constexpr (!std::is_same_v<C, T>)
        for (; i + Vec<C>::size <= n; i += Vec<C>::size)
            store_as(y + i, (load_as(x + i) - Vec<C>(mean)) * Vec<C>(scale) + Vec<C>(shift));
    for (; i < n; ++i) y[i] = T((C(x[i]) - mean) * scale + shift);
}
template <class T>
void combine(const T* g, const T* x, T* gx, std::int64_t n, Compute<T> mean, Compute<T> a, Compute<T> b, Compute<T> c) {
    using C = Compute<T>;
    std::int64_t i = 0;
    if constexpr (!std::is_same_v<C, T>)
        for (; i + Vec<C>::size <= n; i += Vec<C>::size)
            store_as(gx + i, Vec<C>(a) * load_as(g + i) + Vec<C>(b) * (load_as(x + i) - Vec<C>(mean)) + Vec<C>(c));
    for (; i < n; ++i) gx[i] = T(a * C(g[i]) + b * (C(x[i]) - mean) + c);
}
template <class T> void affine_row(const T* x, T* y, std::int64_t n, T mean, T rstd, const T* w, const T* b) {
    if (w && b)
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * w[i] + b[i];
    else if (w)
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * w[i];
    else
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd + (b ? b[i] : T(0));
}
template <class T> void dots_row(const T* g, const T* x, const T* w, std::int64_t n, T mean, double* sums) {
    if (!w) return dots(g, x, n, mean, sums);
    const Vec<T> m(mean);
    sums[0] = total<T>(
        n, [=](std::int64_t i) { return Vec<T>::load(g + i) * Vec<T>::load(w + i); },
        [=](std::int64_t i) { return g[i] * w[i]; });
    sums[1] = total<T>(
        n, [=](std::int64_t i) { return Vec<T>::load(g + i) * Vec<T>::load(w + i) * (Vec<T>::load(x + i) - m); },
        [=](std::int64_t i) { return g[i] * w[i] * (x[i] - mean); });
}
template <class T> void combine_row(const T* g, const T* x, const T* w, T* gx, std::int64_t n, T mean, T a, T b, T c) {
    if (!w) return combine(g, x, gx, n, mean, a, b, c);
    for (std::int64_t i = 0; i < n; ++i) gx[i] = a * (g[i] * w[i]) + b * (x[i] - mean) + c;
}
template <class T> void accumulate_row(const T* g, const T* x, std::int64_t n, T mean, T rstd, T* gw, T* gb) {
    if (gw)
        for (std::int64_t i = 0; i < n; ++i) gw[i] += g[i] * ((x[i] - mean) * rstd);
    if (gb)
        for (std::int64_t i = 0; i < n; ++i) gb[i] += g[i];
}

template <class T> NormKernels<T> all() {
    return {&sum<T>,        &squares<T>,  &dots<T>,        &affine<T>,        &combine<T>,
            &affine_row<T>, &dots_row<T>, &combine_row<T>, &accumulate_row<T>};
}
template <class T> NormKernels<T> without_rows() {
    return {&sum<T>, &squares<T>, &dots<T>, &affine<T>, &combine<T>, nullptr, nullptr, nullptr, nullptr};
}

} // namespace

void register_norm() {
    norm_kernels<float> = all<float>();
    norm_kernels<double> = all<double>();
    norm_kernels<Half> = without_rows<Half>();
    norm_kernels<BFloat16> = without_rows<BFloat16>();
}

} // namespace reel::cpu::REEL_ISA
