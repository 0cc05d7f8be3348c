// One row of softmax or log_softmax: maximum, exponentials and their sum, scaling.
#include "cpu/softmax.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace {
template <class T> void row(const T* in, T* out, std::int64_t n, bool logarithm) {
    using V = Vec<T>;
    constexpr int w = V::size;
    T best = -std::numeric_limits<T>::infinity();
    std::int64_t i = 0;
    if (n >= w) {
        V m = V::load(in);
        for (i = w; i + w <= n; i += w) m = maximum(m, V::load(in + i));
        for (int k = 0; k < w; ++k) best = best != best || best > m[k] ? best : m[k];
    }
    for (; i < n; ++i) best = best != best || best > in[i] ? best : in[i];
    const V shift(best);
    V acc(T(0));
    T sum = 0;
    for (i = 0; i + w <= n; i += w) {
        const V e = exp(V::load(in + i) - shift);
        if (!logarithm) e.store(out + i);
        acc += e;
    }
    for (int k = 0; k < w; ++k) sum += acc[k];
    if (i < n) {
        T buffer[w] = {};
        for (std::int64_t k = i; k < n; ++k) buffer[k - i] = in[k];
        exp(V::load(buffer) - shift).store(buffer);
        for (std::int64_t k = i; k < n; ++k) {
            sum += buffer[k - i];
            if (!logarithm) out[k] = buffer[k - i];
        }
    }
    if (logarithm) {
        const T rest = std::log(sum); // added to a large maximum it would lose its digits
        for (i = 0; i < n; ++i) out[i] = (in[i] - best) - rest;
    } else {
        const T scale = T(1) / sum;
        for (i = 0; i < n; ++i) out[i] *= scale;
    }
}
} // namespace

void register_softmax() {
    softmax_kernels.f32 = &row<float>;
    softmax_kernels.f64 = &row<double>;
}

} // namespace reel::cpu::REEL_ISA
