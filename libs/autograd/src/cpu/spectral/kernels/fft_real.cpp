// A real line of even length is transformed as a complex one of its pairs, x[2j] + i x[2j + 1]: from the pairs'
// spectrum to half of the line's, and back.
#include "cpu/spectral/fft_lanes.hpp"

#include <algorithm>

#include "cpu/spectral/fft_vec.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

/// Elements k and n/2 - k at once, in place; `f` is -i e^(-2 pi i k / n).
template <class Z, class S> void to_half(Z& near, Z& far, Z f, S a_half) {
    const Z even = near + far.conj(), odd = (near - far.conj()) * f;
    near = (even + odd) * a_half;
    far = ((even - odd) * a_half).conj();
}
template <class Z> void to_pairs(Z& near, Z& far, Z f) {
    const Z even = near + far.conj(), odd = (near - far.conj()) * f.conj();
    near = even + odd;
    far = (even - odd).conj();
}

template <class T> void pairs_to_half(const T* pairs, const T* factors, std::int64_t n, T* half) {
    constexpr int row = Complex<T>::row;
    const Vec<T> zero(T(0));
    const Complex<T> first = Complex<T>::load(pairs);
    Complex<T>{first.re + first.im, zero}.store(half);
    Complex<T>{first.re - first.im, zero}.store(half + n * row);
    for (std::int64_t k = 1; k <= n / 2; ++k) {
        Complex<T> a = Complex<T>::load(pairs + k * row), b = Complex<T>::load(pairs + (n - k) * row);
        to_half(a, b, Complex<T>::all(factors + 2 * k), Vec<T>(T(0.5)));
        a.store(half + k * row);
        b.store(half + (n - k) * row);
    }
}
template <class T> void half_to_pairs(const T* half, const T* factors, std::int64_t n, T* pairs) {
    constexpr int row = Complex<T>::row;
    const Vec<T> first = Vec<T>::load(half), last = Vec<T>::load(half + n * row);
    Complex<T>{first - last, first + last}.store(pairs);
    for (std::int64_t k = 1; k <= n / 2; ++k) {
        Complex<T> a = Complex<T>::load(half + k * row), b = Complex<T>::load(half + (n - k) * row);
        to_pairs(a, b, Complex<T>::all(factors + 2 * k));
        Complex<T>{a.im, a.re}.store(pairs + k * row);
        Complex<T>{b.im, b.re}.store(pairs + (n - k) * row);
    }
}

/// f(near, far, factor) for the elements of groups `begin` to `end` and their mirror images. Group g begins at 1 + g w;
/// what is left of the last one is padded.
template <class T, class F>
void mirrored(const T* in, const T* left, const T* right, std::int64_t n, T* out, std::int64_t begin, std::int64_t end,
              F f) {
    constexpr int w = Vec<T>::size;
    const Complex<T> l = Complex<T>::load(left);
    for (std::int64_t g = begin; g < end; ++g) {
        const std::int64_t k = 1 + g * w, some = std::min<std::int64_t>(w, n / 2 + 1 - k);
        const Complex<T> factor = l * Complex<T>::all(right + 2 * g);
        if (some == w) {
            Complex<T> a = Complex<T>::load_dense(in + 2 * k);
            Complex<T> b = Complex<T>::load_dense(in + 2 * (n - k - w + 1)).reversed();
            f(a, b, factor);
            a.store_dense(out + 2 * k);
            b.reversed().store_dense(out + 2 * (n - k - w + 1));
            continue;
        }
        T near[2 * w] = {}, far[2 * w] = {};
        std::copy_n(in + 2 * k, 2 * some, near);
        for (std::int64_t i = 0; i < some; ++i) std::copy_n(in + 2 * (n - k - i), 2, far + 2 * i);
        Complex<T> a = Complex<T>::load_dense(near), b = Complex<T>::load_dense(far);
        f(a, b, factor);
        a.store_dense(near);
        b.store_dense(far);
        std::copy_n(near, 2 * some, out + 2 * k);
        for (std::int64_t i = 0; i < some; ++i) std::copy_n(far + 2 * i, 2, out + 2 * (n - k - i));
    }
}
template <class T>
void line_to_half(const T* pairs, const T* left, const T* right, std::int64_t n, T* half, std::int64_t begin,
                  std::int64_t end) {
    if (begin == 0) {
        half[0] = pairs[0] + pairs[1];
        half[2 * n] = pairs[0] - pairs[1];
        half[1] = half[2 * n + 1] = 0;
    }
    mirrored(pairs, left, right, n, half, begin, end,
             [](Complex<T>& a, Complex<T>& b, Complex<T> f) { to_half(a, b, f, Vec<T>(T(0.5))); });
}
template <class T>
void half_to_line(const T* half, const T* left, const T* right, std::int64_t n, T* pairs, std::int64_t begin,
                  std::int64_t end) {
    if (begin == 0) {
        pairs[0] = half[0] + half[2 * n];
        pairs[1] = half[0] - half[2 * n];
    }
    mirrored(half, left, right, n, pairs, begin, end,
             [](Complex<T>& a, Complex<T>& b, Complex<T> f) { to_pairs(a, b, f); });
}

template <class T> void multiply(const T* a, const T* b, std::int64_t n, T* out, bool conjugated) {
    constexpr int w = Vec<T>::size;
    std::int64_t i = 0;
    for (; i + w <= n; i += w) {
        const Complex<T> z = Complex<T>::load_dense(a + 2 * i) * Complex<T>::load_dense(b + 2 * i);
        (conjugated ? z.conj() : z).store_dense(out + 2 * i);
    }
    for (; i < n; ++i) {
        const T re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        const T im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
        out[2 * i] = re;
        out[2 * i + 1] = conjugated ? -im : im;
    }
}

template <class T> void attach() {
    FftLanes<T>& k = fft_lanes<T>;
    k.pairs_to_half = &pairs_to_half<T>;
    k.half_to_pairs = &half_to_pairs<T>;
    k.line_to_half = &line_to_half<T>;
    k.half_to_line = &half_to_line<T>;
    k.multiply = &multiply<T>;
}

} // namespace

void register_fft_real() {
    attach<float>();
    attach<double>();
}

} // namespace reel::cpu::REEL_ISA
