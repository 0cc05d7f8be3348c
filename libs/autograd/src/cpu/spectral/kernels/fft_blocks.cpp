// Blocks of lanes for the Fourier transforms: filled from memory and emptied, scaled, transposed.
#include "cpu/spectral/fft_lanes.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "cpu/shape/vec_transpose.hpp"
#include "cpu/spectral/fft_vec.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

#if defined(__AVX2__) && !defined(__AVX512F__)
/// All bits of the first `count` lanes.
template <class T> __m256i first_lanes(int count) {
    constexpr int n = 32 / int(sizeof(T));
    static constexpr auto bits = [] {
        std::array<IntOf<T>, 2 * n> r{};
        for (int i = 0; i < n; ++i) r[std::size_t(i)] = -1;
        return r;
    }();
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits.data() + n - count));
}
#endif

/// `count` numbers, zeros behind them.
template <class T> Vec<T> load_some(const T* p, int count) {
    if (count >= Vec<T>::size) return Vec<T>::load(p);
    if (count <= 0) return Vec<T>(T(0));
    using Raw = typename Vec<T>::Raw;
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return Vec<T>((Raw)_mm512_maskz_loadu_ps(__mmask16((1u << count) - 1), p));
    else return Vec<T>((Raw)_mm512_maskz_loadu_pd(__mmask8((1u << count) - 1), p));
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4) return Vec<T>((Raw)_mm256_maskload_ps(p, first_lanes<T>(count)));
    else return Vec<T>((Raw)_mm256_maskload_pd(p, first_lanes<T>(count)));
#else
    Raw all = {};
    for (int i = 0; i < count; ++i) all[i] = p[i];
    return Vec<T>(all);
#endif
}
template <class T> void store_some(Vec<T> x, T* p, int count) {
    if (count >= Vec<T>::size) return x.store(p);
    if (count <= 0) return;
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) _mm512_mask_storeu_ps(p, __mmask16((1u << count) - 1), (__m512)x.v);
    else _mm512_mask_storeu_pd(p, __mmask8((1u << count) - 1), (__m512d)x.v);
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4) _mm256_maskstore_ps(p, first_lanes<T>(count), (__m256)x.v);
    else _mm256_maskstore_pd(p, first_lanes<T>(count), (__m256d)x.v);
#else
    for (int i = 0; i < count; ++i) p[i] = x[i];
#endif
}
/// `count` complex elements side by side.
template <class T> Complex<T> load_some_dense(const T* p, int count) {
    constexpr int n = Vec<T>::size;
    if (count >= n) return Complex<T>::load_dense(p);
    return Complex<T>::separated(load_some<T>(p, 2 * count), load_some<T>(p + n, 2 * count - n));
}
template <class T> void store_some_dense(Complex<T> x, T* p, int count) {
    constexpr int n = Vec<T>::size;
    if (count >= n) return x.store_dense(p);
    const auto [a, b] = x.mixed();
    store_some<T>(Vec<T>(a), p, 2 * count);
    store_some<T>(Vec<T>(b), p + n, 2 * count - n);
}
template <class T> void transpose_lanes(typename Vec<T>::Raw* rows) {
    constexpr int n = Vec<T>::size;
    transpose_rows<n / 2, n, typename Vec<T>::Raw, typename RawOf<T>::mask>(rows);
}

/// Do the lanes lie side by side, `apart` numbers from one to the next?
template <class L> bool are_neighbours(const L& lines, std::int64_t apart) {
    for (int l = 1; l < lines.count; ++l)
        if (lines.lanes[l] != lines.lanes[0] + l * apart) return false;
    return true;
}

/// Are the lanes short dense lines one after the other, in the order that fft_grouped says?
template <int n, int w, class L> bool are_grouped(const L& lines) {
    if (n >= w || lines.count != w || lines.step != 2 || lines.imag != 1) return false;
    for (int l = 0; l < w; ++l)
        if (lines.lanes[l] != lines.lanes[0] + 2 * n * fft_grouped(l, n, w)) return false;
    return true;
}
/// Such lines are n vectors of memory: squares of n x n elements in them are transposed, in both directions alike.
template <class T, int n> void load_grouped(const T* from, T* re, T* im) {
    constexpr int w = Vec<T>::size;
    typename Vec<T>::Raw a[n], b[n];
    for (int i = 0; i < n; ++i) {
        const Complex<T> z = Complex<T>::load_dense(from + 2 * i * w);
        a[i] = z.re.v;
        b[i] = z.im.v;
    }
    transpose_rows<n / 2, w, typename Vec<T>::Raw, typename RawOf<T>::mask>(a);
    transpose_rows<n / 2, w, typename Vec<T>::Raw, typename RawOf<T>::mask>(b);
    for (int i = 0; i < n; ++i) {
        Vec<T>(a[i]).store(re + 2 * i * w);
        Vec<T>(b[i]).store(im + 2 * i * w);
    }
}
template <class T, int n> void store_grouped(const T* re, const T* im, T* to) {
    constexpr int w = Vec<T>::size;
    typename Vec<T>::Raw a[n], b[n];
    for (int i = 0; i < n; ++i) {
        a[i] = Vec<T>::load(re + 2 * i * w).v;
        b[i] = Vec<T>::load(im + 2 * i * w).v;
    }
    transpose_rows<n / 2, w, typename Vec<T>::Raw, typename RawOf<T>::mask>(a);
    transpose_rows<n / 2, w, typename Vec<T>::Raw, typename RawOf<T>::mask>(b);
    for (int i = 0; i < n; ++i) Complex<T>{Vec<T>(a[i]), Vec<T>(b[i])}.store_dense(to + 2 * i * w);
}
/// f of the constant n if that is one of those; false otherwise.
template <class F> bool with_group(std::int64_t n, F f) {
    switch (n) {
    case 2:
        return f(std::integral_constant<int, 2>{});
    case 4:
        return f(std::integral_constant<int, 4>{});
    case 8:
        return f(std::integral_constant<int, 8>{});
    default:
        return false;
    }
}
template <class T> bool load_as_group(const FftLines<const T>& from, std::int64_t n, T* re, T* im) {
    return with_group(n, [&](auto k) {
        if (!are_grouped<k, Vec<T>::size>(from)) return false;
        load_grouped<T, k>(from.data + from.lanes[0], re, im);
        return true;
    });
}
template <class T> bool store_as_group(const T* re, const T* im, std::int64_t n, const FftLines<T>& to) {
    return with_group(n, [&](auto k) {
        if (!are_grouped<k, Vec<T>::size>(to)) return false;
        store_grouped<T, k>(re, im, to.data + to.lanes[0]);
        return true;
    });
}

/// Elements of a line lie side by side: squares of the block are transposed.
template <class T> void load_dense_lines(const FftLines<const T>& from, std::int64_t n, T* re, T* im) {
    constexpr int w = Vec<T>::size;
    for (std::int64_t j = 0; j < n; j += w) {
        const int some = int(std::min<std::int64_t>(w, n - j));
        typename Vec<T>::Raw a[w], b[w];
        for (int l = 0; l < w; ++l) {
            const Complex<T> z = l < from.count ? load_some_dense<T>(from.data + from.lanes[l] + 2 * j, some)
                                                : Complex<T>{Vec<T>(T(0)), Vec<T>(T(0))};
            a[l] = z.re.v;
            b[l] = z.im.v;
        }
        transpose_lanes<T>(a);
        transpose_lanes<T>(b);
        for (int i = 0; i < some; ++i) {
            Vec<T>(a[i]).store(re + (j + i) * 2 * w);
            Vec<T>(b[i]).store(im + (j + i) * 2 * w);
        }
    }
}
template <class T> void load(const FftLines<const T>& from, std::int64_t n, T* block, bool swapped) {
    constexpr int w = Vec<T>::size;
    T* const re = block + (swapped ? w : 0);
    T* const im = block + (swapped ? 0 : w);
    const T* const first = from.data + from.lanes[0];
    const bool is_alone = from.count == 1, is_complex = from.imag != 0;
    if (!is_alone && from.imag == 1 && are_neighbours(from, 2)) {
        for (std::int64_t j = 0; j < n; ++j) {
            const Complex<T> z = load_some_dense<T>(first + j * from.step, from.count);
            z.re.store(re + j * 2 * w);
            z.im.store(im + j * 2 * w);
        }
    } else if (is_alone || are_neighbours(from, 1)) {
        for (std::int64_t j = 0; j < n; ++j) {
            const T* const p = first + j * from.step;
            load_some<T>(p, from.count).store(re + j * 2 * w);
            (is_complex ? load_some<T>(p + from.imag, from.count) : Vec<T>(T(0))).store(im + j * 2 * w);
        }
    } else if (load_as_group(from, n, re, im)) {
        return;
    } else if (from.step == 2 && from.imag == 1) {
        load_dense_lines(from, n, re, im);
    } else {
        for (std::int64_t j = 0; j < n; ++j)
            for (int l = 0; l < w; ++l) {
                const T* const p = from.data + from.lanes[std::min(l, from.count - 1)] + j * from.step;
                re[j * 2 * w + l] = l < from.count ? p[0] : T(0);
                im[j * 2 * w + l] = l < from.count && is_complex ? p[from.imag] : T(0);
            }
    }
}

template <class T> void store_dense_lines(const T* re, const T* im, std::int64_t n, const FftLines<T>& to) {
    constexpr int w = Vec<T>::size;
    for (std::int64_t j = 0; j < n; j += w) {
        const int some = int(std::min<std::int64_t>(w, n - j));
        typename Vec<T>::Raw a[w], b[w];
        for (int i = 0; i < w; ++i) {
            const std::int64_t at = (j + std::min(i, some - 1)) * 2 * w;
            a[i] = Vec<T>::load(re + at).v;
            b[i] = Vec<T>::load(im + at).v;
        }
        transpose_lanes<T>(a);
        transpose_lanes<T>(b);
        for (int l = 0; l < to.count; ++l)
            store_some_dense<T>({Vec<T>(a[l]), Vec<T>(b[l])}, to.data + to.lanes[l] + 2 * j, some);
    }
}
template <class T> void store(const T* block, std::int64_t n, const FftLines<T>& to, bool swapped) {
    constexpr int w = Vec<T>::size;
    const T* const re = block + (swapped ? w : 0);
    const T* const im = block + (swapped ? 0 : w);
    T* const first = to.data + to.lanes[0];
    const bool is_alone = to.count == 1, is_complex = to.imag != 0;
    if (!is_alone && to.imag == 1 && are_neighbours(to, 2)) {
        for (std::int64_t j = 0; j < n; ++j)
            store_some_dense<T>({Vec<T>::load(re + j * 2 * w), Vec<T>::load(im + j * 2 * w)}, first + j * to.step,
                                to.count);
    } else if (!is_alone && are_neighbours(to, 1)) {
        for (std::int64_t j = 0; j < n; ++j) {
            T* const p = first + j * to.step;
            store_some<T>(Vec<T>::load(re + j * 2 * w), p, to.count);
            if (is_complex) store_some<T>(Vec<T>::load(im + j * 2 * w), p + to.imag, to.count);
        }
    } else if (store_as_group(re, im, n, to)) {
        return;
    } else if (!is_alone && to.step == 2 && to.imag == 1) {
        store_dense_lines(re, im, n, to);
    } else {
        for (std::int64_t j = 0; j < n; ++j)
            for (int l = 0; l < to.count; ++l) {
                T* const p = to.data + to.lanes[l] + j * to.step;
                p[0] = re[j * 2 * w + l];
                if (is_complex) p[to.imag] = im[j * 2 * w + l];
            }
    }
}

template <class T> void scale(const T* block, const T* factors, std::int64_t n, T* out, bool conjugated) {
    constexpr int row = Complex<T>::row;
    for (std::int64_t j = 0; j < n; ++j) {
        const Complex<T> z = Complex<T>::load(block + j * row) * Complex<T>::all(factors + 2 * j);
        (conjugated ? z.conj() : z).store(out + j * row);
    }
}

template <class T>
void turn(const T* block, std::int64_t rows, int count, const T* left, const T* right, T* out, std::int64_t out_block) {
    constexpr int w = Vec<T>::size, row = Complex<T>::row;
    for (std::int64_t k = 0; k < rows; k += w, out += out_block) {
        const int some = int(std::min<std::int64_t>(w, rows - k));
        typename Vec<T>::Raw a[w], b[w];
        for (int i = 0; i < w; ++i) {
            const std::int64_t at = k + std::min(i, some - 1); // lanes beyond the last repeat it
            const Complex<T> turned = Complex<T>::load(left + at * row) * Complex<T>::all(right + 2 * at);
            const Complex<T> z = Complex<T>::load(block + at * row) * turned;
            a[i] = z.re.v;
            b[i] = z.im.v;
        }
        transpose_lanes<T>(a);
        transpose_lanes<T>(b);
        for (int l = 0; l < count; ++l) Complex<T>{Vec<T>(a[l]), Vec<T>(b[l])}.store(out + l * row);
    }
}

template <class T> void attach() {
    FftLanes<T>& k = fft_lanes<T>;
    k.load = &load<T>;
    k.store = &store<T>;
    k.scale = &scale<T>;
    k.turn = &turn<T>;
}

} // namespace

void register_fft_blocks() {
    attach<float>();
    attach<double>();
}

} // namespace reel::cpu::REEL_ISA
