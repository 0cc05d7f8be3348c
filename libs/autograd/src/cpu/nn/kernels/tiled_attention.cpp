// Exponentials of tiles of scores, with the running maximum and sum of each row, and their derivatives.
#include "cpu/nn/attention_kernels.hpp"

#include <limits>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

template <class T> constexpr std::int64_t lanes = Vec<T>::size;

template <class T> T greatest(const T* row, std::int64_t n, T best) {
    Vec<T> m(best);
    for (std::int64_t i = 0; i < n; i += lanes<T>) m = maximum(m, Vec<T>::load(row + i));
    for (int k = 0; k < lanes<T>; ++k) best = best != best || best > m[k] ? best : m[k];
    return best;
}
template <class T> T one_exp(T x) { return exp(Vec<T>(x))[0]; }

template <class T>
void weigh(T* scores, std::int64_t ld, std::int64_t rows, std::int64_t columns, T* best, T* sum, T* factor) {
    using V = Vec<T>;
    constexpr T lowest = -std::numeric_limits<T>::infinity();
    const std::int64_t padded = (columns + lanes<T> - 1) / lanes<T> * lanes<T>;
    for (std::int64_t r = 0; r < rows; ++r) {
        T* const row = scores + r * ld;
        for (std::int64_t c = columns; c < padded; ++c) row[c] = lowest;
        const T top = greatest(row, padded, best[r]), shift = top == lowest ? T(0) : top;
        V total(T(0));
        for (std::int64_t c = 0; c < padded; c += lanes<T>) {
            const V e = exp(V::load(row + c) - V(shift));
            e.store(row + c);
            total += e;
        }
        factor[r] = one_exp(best[r] - shift);
        T all(0);
        for (int k = 0; k < lanes<T>; ++k) all += total[k];
        sum[r] = sum[r] * factor[r] + all;
        best[r] = top;
    }
}
template <class T> void scale_rows(T* x, std::int64_t ld, std::int64_t rows, std::int64_t columns, const T* factor) {
    for (std::int64_t r = 0; r < rows; ++r) {
        if (factor[r] == T(1)) continue;
        for (std::int64_t c = 0; c < columns; ++c) x[r * ld + c] *= factor[r];
    }
}
template <class T>
void weights(T* scores, std::int64_t ld, std::int64_t rows, std::int64_t columns, const T* normalizers) {
    using V = Vec<T>;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; c += lanes<T>)
            exp(V::load(scores + r * ld + c) - V::load(normalizers + c)).store(scores + r * ld + c);
}
template <class T>
void slopes(T* slope, const T* weight, std::int64_t ld, std::int64_t rows, std::int64_t columns, const T* dots) {
    using V = Vec<T>;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; c += lanes<T>) {
            const std::int64_t at = r * ld + c;
            (V::load(weight + at) * (V::load(slope + at) - V::load(dots + c))).store(slope + at);
        }
}
template <class T> T dot(const T* a, const T* b, std::int64_t n) {
    using V = Vec<T>;
    V total(T(0));
    std::int64_t i = 0;
    for (; i + lanes<T> <= n; i += lanes<T>) total += V::load(a + i) * V::load(b + i);
    T all(0);
    for (int k = 0; k < lanes<T>; ++k) all += total[k];
    for (; i < n; ++i) all += a[i] * b[i];
    return all;
}

template <class T> void fill() { attention_kernels<T> = {&weigh<T>, &scale_rows<T>, &weights<T>, &slopes<T>, &dot<T>}; }

} // namespace

void register_tiled_attention() {
    fill<float>();
    fill<double>();
}

} // namespace reel::cpu::REEL_ISA
