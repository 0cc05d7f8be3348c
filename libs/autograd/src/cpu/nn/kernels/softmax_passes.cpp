// Four vectors of columns side by side; the rest of a strip goes through the same code by way of a copy.
#include "cpu/nn/softmax_passes.hpp"

#include <limits>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

constexpr int vectors = 4;
template <class T> constexpr std::int64_t lanes = Vec<T>::size;
template <class T> constexpr std::int64_t strip = vectors* lanes<T>;

/// The columns of a strip as vectors; those behind the last that counts are zero and are not written.
template <class T> struct Columns {
    std::int64_t count;
    void load(const T* p, Vec<T>* x) const {
        T padded[strip<T>];
        if (count < strip<T>) {
            for (std::int64_t c = 0; c < strip<T>; ++c) padded[c] = c < count ? p[c] : T(0);
            p = padded;
        }
        for (int k = 0; k < vectors; ++k) x[k] = Vec<T>::load(p + k * lanes<T>);
    }
    void store(T* p, const Vec<T>* x) const {
        T padded[strip<T>];
        T* const to = count < strip<T> ? padded : p;
        for (int k = 0; k < vectors; ++k) x[k].store(to + k * lanes<T>);
        for (std::int64_t c = 0; to == padded && c < count; ++c) p[c] = padded[c];
    }
};

template <class T>
void columns(const T* x, T* out, std::int64_t n, std::int64_t inner, std::int64_t count, bool logarithm) {
    using V = Vec<T>;
    const Columns<T> all{count};
    V best[vectors], sum[vectors], v[vectors];
    all.load(x, best);
    for (int k = 0; k < vectors; ++k) sum[k] = V(T(0));
    for (std::int64_t i = 1; i < n; ++i) {
        all.load(x + i * inner, v);
        for (int k = 0; k < vectors; ++k) best[k] = maximum(best[k], v[k]);
    }
    for (std::int64_t i = 0; i < n; ++i) {
        all.load(x + i * inner, v);
        for (int k = 0; k < vectors; ++k) {
            v[k] = exp(v[k] - best[k]);
            sum[k] += v[k];
        }
        if (!logarithm) all.store(out + i * inner, v);
    }
    for (int k = 0; k < vectors; ++k) sum[k] = logarithm ? log(sum[k]) : V(T(1)) / sum[k];
    for (std::int64_t i = 0; i < n; ++i) {
        all.load((logarithm ? x : out) + i * inner, v);
        for (int k = 0; k < vectors; ++k) // added to a large maximum the logarithm would lose its digits
            v[k] = logarithm ? (v[k] - best[k]) - sum[k] : v[k] * sum[k];
        all.store(out + i * inner, v);
    }
}

template <class T>
void backward_columns(const T* grad, const T* out, T* to, std::int64_t n, std::int64_t inner, std::int64_t count,
                      bool logarithm) {
    using V = Vec<T>;
    const Columns<T> all{count};
    V sum[vectors], g[vectors], y[vectors];
    for (int k = 0; k < vectors; ++k) sum[k] = V(T(0));
    for (std::int64_t i = 0; i < n; ++i) {
        all.load(grad + i * inner, g);
        if (!logarithm) all.load(out + i * inner, y);
        for (int k = 0; k < vectors; ++k) sum[k] += logarithm ? g[k] : g[k] * y[k];
    }
    for (std::int64_t i = 0; i < n; ++i) {
        all.load(grad + i * inner, g);
        all.load(out + i * inner, y);
        for (int k = 0; k < vectors; ++k) g[k] = logarithm ? g[k] - exp(y[k]) * sum[k] : y[k] * (g[k] - sum[k]);
        all.store(to + i * inner, g);
    }
}
/// `n` numbers of a row by vectors, the last ones from a copy filled up with zeros.
template <class T, class F> void each_vector(std::int64_t n, const T* a, const T* b, F f) {
    using V = Vec<T>;
    std::int64_t i = 0;
    for (; i + lanes<T> <= n; i += lanes<T>) f(i, lanes<T>, V::load(a + i), V::load(b + i));
    if (i == n) return;
    T x[lanes<T>] = {}, y[lanes<T>] = {};
    for (std::int64_t k = i; k < n; ++k) {
        x[k - i] = a[k];
        y[k - i] = b[k];
    }
    f(i, n - i, V::load(x), V::load(y));
}
template <class T> void backward_row(const T* grad, const T* out, T* to, std::int64_t n, bool logarithm) {
    using V = Vec<T>;
    V acc(T(0));
    each_vector(n, grad, out, [&](std::int64_t, std::int64_t, V g, V y) { acc += logarithm ? g : g * y; });
    T all(0);
    for (int k = 0; k < V::size; ++k) all += acc[k];
    const V sum(all);
    each_vector(n, grad, out, [&](std::int64_t at, std::int64_t count, V g, V y) {
        const V r = logarithm ? g - exp(y) * sum : y * (g - sum);
        if (count == V::size) return r.store(to + at);
        T part[V::size];
        r.store(part);
        for (std::int64_t k = 0; k < count; ++k) to[at + k] = part[k];
    });
}
template <class T>
void backward(const T* grad, const T* out, T* to, std::int64_t n, std::int64_t inner, std::int64_t count,
              bool logarithm) {
    if (inner == 1) backward_row(grad, out, to, n, logarithm);
    else backward_columns(grad, out, to, n, inner, count, logarithm);
}

template <class T> void fill() { softmax_passes<T> = {strip<T>, &columns<T>, &backward<T>}; }

} // namespace

void register_softmax_passes() {
    fill<float>();
    fill<double>();
}

} // namespace reel::cpu::REEL_ISA
