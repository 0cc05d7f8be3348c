// Exponentials of tiles of scores, with the running maximum and sum of each row, and their derivatives.
#include "cpu/nn/attention_kernels.hpp"

#include <limits>
#include <type_traits>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

template <class T> constexpr std::int64_t lanes = Vec<T>::size;

/// The lanes in pairs, those in pairs and so on: no lane waits for all before it.
template <class T, class Merge> T merged(Vec<T> v, Merge merge) {
    alignas(64) T lane[lanes<T>];
    v.store(lane);
    for (std::int64_t half = lanes<T> / 2; half > 0; half /= 2)
        for (std::int64_t k = 0; k < half; ++k) lane[k] = merge(lane[k], lane[k + half]);
    return lane[0];
}
template <class T> T greatest(const T* row, std::int64_t n, T best) {
    Vec<T> m(best);
    for (std::int64_t i = 0; i < n; i += lanes<T>) m = maximum(m, Vec<T>::load(row + i));
    return merged(m, [](T a, T b) { return a != a || a > b ? a : b; });
}
/// exp(x), and 0 instead of what is smaller than normal numbers: to make one of those takes Intel's processors a
/// hundred cycles, and hidden scores are -inf.
template <class T> Vec<T> weight(Vec<T> x) {
    constexpr T least = std::is_same_v<T, float> ? T(-87) : T(-708);
    const Mask<T> nothing = x < Vec<T>(least);
    return select(nothing, Vec<T>(T(0)), exp(select(nothing, Vec<T>(least), x)));
}

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
            const V e = weight(V::load(row + c) - V(shift));
            e.store(row + c);
            total += e;
        }
        factor[r] = weight(V(best[r] - shift))[0];
        sum[r] = sum[r] * factor[r] + merged(total, [](T a, T b) { return a + b; });
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
            weight(V::load(scores + r * ld + c) - V::load(normalizers + c)).store(scores + r * ld + c);
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
    T all = merged(total, [](T a, T b) { return a + b; });
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
