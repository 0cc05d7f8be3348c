// Stockham passes: butterflies of radix 2, 4, 8 and of odd radices over rows of lanes.
#include "cpu/spectral/fft_lanes.hpp"

#include <type_traits>

#include "cpu/spectral/fft_vec.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

#define REEL_INLINE [[gnu::always_inline]] inline

/// f of the numbers below N as constants, so that arrays they index stay in registers.
template <int N, class F> REEL_INLINE void each(F f) {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        (f(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, N>{});
}

template <class T> REEL_INLINE void fourier4(Complex<T>& a, Complex<T>& b, Complex<T>& c, Complex<T>& d) {
    const Complex<T> s = a + c, t = b + d, u = a - c, v = (b - d).turned();
    a = s + t;
    b = u + v;
    c = s - t;
    d = u - v;
}
/// e^(-2 pi i j k / R) sums over R elements in place, in natural order.
template <class T, int R> struct Butterfly { // odd
    static constexpr int radix = R, half = R / 2;
    REEL_INLINE static void apply(Complex<T>* a, const T* roots) {
        using V = Vec<T>;
        Complex<T> sum[half], difference[half];
        Complex<T> first = a[0];
        each<half>([&](auto k) __attribute__((always_inline)) {
            sum[k] = a[k + 1] + a[R - 1 - k];
            difference[k] = a[k + 1] - a[R - 1 - k];
            first = first + sum[k];
        });
        each<half>([&](auto j) __attribute__((always_inline)) {
            Complex<T> even = a[0], odd = difference[0] * V(roots[2 * (j + 1) + 1]);
            each<half>([&](auto k) __attribute__((always_inline)) {
                constexpr int at = (j + 1) * (k + 1) % R;
                even = even + sum[k] * V(roots[2 * at]);
                if constexpr (k > 0) odd = odd + difference[k] * V(roots[2 * at + 1]);
            });
            a[j + 1] = even + odd.turned();
            a[R - 1 - j] = even - odd.turned();
        });
        a[0] = first;
    }
};
template <class T> struct Butterfly<T, 2> {
    static constexpr int radix = 2;
    REEL_INLINE static void apply(Complex<T>* a, const T*) {
        const Complex<T> x = a[0], y = a[1];
        a[0] = x + y;
        a[1] = x - y;
    }
};
template <class T> struct Butterfly<T, 4> {
    static constexpr int radix = 4;
    REEL_INLINE static void apply(Complex<T>* a, const T*) { fourier4(a[0], a[1], a[2], a[3]); }
};
template <class T> struct Butterfly<T, 8> {
    static constexpr int radix = 8;
    REEL_INLINE static void apply(Complex<T>* a, const T* roots) {
        using V = Vec<T>;
        fourier4(a[0], a[2], a[4], a[6]);
        fourier4(a[1], a[3], a[5], a[7]);
        const V c(roots[2]); // the square root of a half
        const Complex<T> e[4] = {a[0], a[2], a[4], a[6]};
        const Complex<T> o[4] = {a[1],
                                 {(a[3].re + a[3].im) * c, (a[3].im - a[3].re) * c},
                                 a[5].turned(),
                                 {(a[7].im - a[7].re) * c, (-a[7].re - a[7].im) * c}};
        for (int k = 0; k < 4; ++k) {
            a[k] = e[k] + o[k];
            a[k + 4] = e[k] - o[k];
        }
    }
};

/// Butterflies number p of all q.
template <class T, class B, bool turns>
REEL_INLINE void butterflies(const FftStage<T>& st, std::int64_t p, const T* x, T* y) {
    constexpr int R = B::radix;
    constexpr std::int64_t row = Complex<T>::row;
    const T* const w = st.twiddles + 2 * (R - 1) * p;
    const std::int64_t far = st.s * st.m * row, near = st.s * row;
    const T* from = x + st.s * p * row;
    T* to = y + st.s * R * p * row;
    for (std::int64_t q = 0; q < st.s; ++q, from += row, to += row) {
        Complex<T> a[R];
        each<R>([&](auto k) __attribute__((always_inline)) { a[k] = Complex<T>::load(from + k * far); });
        B::apply(a, st.roots);
        a[0].store(to);
        each<R - 1>([&](auto k) __attribute__((always_inline)) {
            if constexpr (turns) a[k + 1] = a[k + 1] * Complex<T>::all(w + 2 * k);
            a[k + 1].store(to + (k + 1) * near);
        });
    }
}
template <class T, class B> void pass(const FftStage<T>& st, const T* x, T* y) {
    butterflies<T, B, false>(st, 0, x, y);
    for (std::int64_t p = 1; p < st.m; ++p) butterflies<T, B, true>(st, p, x, y);
}

/// Any odd radix up to this.
constexpr int largest_radix = 127;
template <class T> void pass_of_any(const FftStage<T>& st, const T* x, T* y) {
    constexpr std::int64_t row = Complex<T>::row;
    using V = Vec<T>;
    const std::int64_t R = st.radix, half = R / 2, s = st.s;
    Complex<T> sum[largest_radix / 2], difference[largest_radix / 2];
    for (std::int64_t p = 0; p < st.m; ++p)
        for (std::int64_t q = 0; q < s; ++q) {
            const T* const from = x + (q + s * p) * row;
            T* const to = y + (q + s * R * p) * row;
            const T* const w = st.twiddles + 2 * (R - 1) * p;
            const Complex<T> zeroth = Complex<T>::load(from);
            Complex<T> first = zeroth;
            for (std::int64_t k = 0; k < half; ++k) {
                const Complex<T> a = Complex<T>::load(from + (k + 1) * s * st.m * row),
                                 b = Complex<T>::load(from + (R - 1 - k) * s * st.m * row);
                sum[k] = a + b;
                difference[k] = a - b;
                first = first + sum[k];
            }
            first.store(to);
            for (std::int64_t j = 1; j <= half; ++j) {
                Complex<T> even = zeroth, odd = {V(T(0)), V(T(0))};
                std::int64_t at = 0;
                for (std::int64_t k = 0; k < half; ++k) {
                    at += at + j < R ? j : j - R; // j (k + 1) mod R
                    even = even + sum[k] * V(st.roots[2 * at]);
                    odd = odd + difference[k] * V(st.roots[2 * at + 1]);
                }
                const Complex<T> a = even + odd.turned(), b = even - odd.turned();
                (a * Complex<T>::all(w + 2 * (j - 1))).store(to + j * s * row);
                (b * Complex<T>::all(w + 2 * (R - j - 1))).store(to + (R - j) * s * row);
            }
        }
}

template <class T> void one(const FftStage<T>& st, const T* x, T* y) {
    switch (st.radix) {
    case 2:
        return pass<T, Butterfly<T, 2>>(st, x, y);
    case 3:
        return pass<T, Butterfly<T, 3>>(st, x, y);
    case 4:
        return pass<T, Butterfly<T, 4>>(st, x, y);
    case 5:
        return pass<T, Butterfly<T, 5>>(st, x, y);
    case 7:
        return pass<T, Butterfly<T, 7>>(st, x, y);
    case 8:
        return pass<T, Butterfly<T, 8>>(st, x, y);
    case 11:
        return pass<T, Butterfly<T, 11>>(st, x, y);
    case 13:
        return pass<T, Butterfly<T, 13>>(st, x, y);
    default:
        return pass_of_any<T>(st, x, y);
    }
}
template <class T> T* run(const FftStage<T>* stages, int count, T* block, T* other) {
    for (int i = 0; i < count; ++i) {
        one(stages[i], block, other);
        std::swap(block, other);
    }
    return block;
}

} // namespace

void register_fft_stages() {
    fft_lanes<float>.lanes = Vec<float>::size;
    fft_lanes<float>.run = &run<float>;
    fft_lanes<double>.lanes = Vec<double>::size;
    fft_lanes<double>.run = &run<double>;
}

} // namespace reel::cpu::REEL_ISA
