// One row of softmax or log_softmax: maximum, exponentials and their sum, scaling.
#include "cpu/nn/softmax.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace {
/// The greater of both; `x` where that is NaN, which `m` then forgets: the sum of exponentials does not.
inline Vec<float> greater_of(Vec<float> m, Vec<float> x) { return maximum_of(m, x); }
inline Vec<double> greater_of(Vec<double> m, Vec<double> x) { return select(m > x, m, x); }

constexpr int side_by_side = 4; // vectors of running results

template <class T> T maximum_of_row(const T* in, std::int64_t n) {
    using V = Vec<T>;
    constexpr int w = V::size;
    T best = -std::numeric_limits<T>::infinity();
    std::int64_t i = 0;
    if (n >= side_by_side * w) {
        V m[side_by_side];
        for (int k = 0; k < side_by_side; ++k) m[k] = V::load(in + k * w);
        for (i = side_by_side * w; i + side_by_side * w <= n; i += side_by_side * w)
            for (int k = 0; k < side_by_side; ++k) m[k] = greater_of(m[k], V::load(in + i + k * w));
        T lane[w];
        greater_of(greater_of(m[0], m[1]), greater_of(m[2], m[3])).store(lane);
        for (int step = w / 2; step > 0; step /= 2)
            for (int k = 0; k < step; ++k) lane[k] = lane[k] > lane[k + step] ? lane[k] : lane[k + step];
        best = lane[0];
    }
    for (; i < n; ++i) best = best > in[i] ? best : in[i];
    return best;
}
/// The sum of exp(in - shift), which are left in `out` unless that is null.
template <class T> T exponentials(const T* in, T* out, std::int64_t n, T best) {
    using V = Vec<T>;
    constexpr int w = V::size;
    const V shift(best);
    V acc[side_by_side];
    for (V& a : acc) a = V(T(0));
    const auto one = [&](std::int64_t i) {
        const V e = exp(V::load(in + i) - shift);
        if (out) e.store(out + i);
        return e;
    };
    std::int64_t i = 0;
    for (; i + side_by_side * w <= n; i += side_by_side * w)
        for (int k = 0; k < side_by_side; ++k) acc[k] += one(i + k * w);
    for (; i + w <= n; i += w) acc[0] += one(i);
    T lane[w];
    ((acc[0] + acc[1]) + (acc[2] + acc[3])).store(lane);
    for (int step = w / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
    T sum = lane[0];
    if (i < n) {
        T buffer[w] = {};
        for (std::int64_t k = i; k < n; ++k) buffer[k - i] = in[k];
        exp(V::load(buffer) - shift).store(buffer);
        for (std::int64_t k = i; k < n; ++k) {
            sum += buffer[k - i];
            if (out) out[k] = buffer[k - i];
        }
    }
    return sum;
}
template <class T> void row(const T* in, T* out, std::int64_t n, bool logarithm) {
    const T best = maximum_of_row(in, n), sum = exponentials(in, logarithm ? nullptr : out, n, best);
    if (logarithm) {
        const T rest = std::log(sum); // added to a large maximum it would lose its digits
        for (std::int64_t i = 0; i < n; ++i) out[i] = (in[i] - best) - rest;
    } else {
        const T scale = T(1) / sum;
        for (std::int64_t i = 0; i < n; ++i) out[i] *= scale;
    }
}
} // namespace

void register_softmax() {
    softmax_kernels.f32 = &row<float>;
    softmax_kernels.f64 = &row<double>;
}

} // namespace reel::cpu::REEL_ISA
