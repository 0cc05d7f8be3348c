// A thin vector type over the compiler's vector extensions; one width per instruction set. For the files below a folder
// `kernels` of any library, which the build compiles once per instruction set with REEL_ISA naming it.
// Everything lives in the instruction set's own namespace, so that no code for a newer machine is shared by accident.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <reel/autograd/half.hpp>

#ifndef REEL_ISA
#error "vec.hpp is for sources that are compiled once per instruction set"
#endif

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// What an element type is computed in.
template <class T> struct ComputeOf { using type = T; };
template <> struct ComputeOf<BFloat16> { using type = float; };
template <> struct ComputeOf<Half> { using type = float; };
template <class T> using Compute = typename ComputeOf<T>::type;

template <class T> using IntOf = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <class T> struct RawOf; // spelled out: dependent vector attributes are lost by the compiler
template <> struct RawOf<float> {
    typedef float type __attribute__((vector_size(vector_bytes)));
    typedef std::int32_t mask __attribute__((vector_size(vector_bytes)));
};
template <> struct RawOf<double> {
    typedef double type __attribute__((vector_size(vector_bytes)));
    typedef std::int64_t mask __attribute__((vector_size(vector_bytes)));
};

/// Lane-wise truth: all bits set or none.
template <class T> struct Mask {
    using Raw = typename RawOf<T>::mask;
    Raw m;
    friend Mask operator&(Mask a, Mask b) { return {a.m & b.m}; }
    friend Mask operator|(Mask a, Mask b) { return {a.m | b.m}; }
    Mask operator!() const { return {~m}; }
};

/// `size` lanes of float or double.
template <class T> struct Vec {
    using Raw = typename RawOf<T>::type;
    using RawInt = typename RawOf<T>::mask;
    using Scalar = T;
    static constexpr int size = vector_bytes / int(sizeof(T));
    Raw v;

    Vec() = default;
    Vec(Raw r) : v(r) {}
    Vec(T s) : v(s - Raw{}) {}
    static Vec load(const T* p) {
        Vec r;
        std::memcpy(&r.v, p, sizeof(r.v));
        return r;
    }
    void store(T* p) const { std::memcpy(p, &v, sizeof(v)); }
    T operator[](int i) const { return v[i]; }

    Vec operator-() const { return -v; }
    friend Vec operator+(Vec a, Vec b) { return a.v + b.v; }
    friend Vec operator-(Vec a, Vec b) { return a.v - b.v; }
    friend Vec operator*(Vec a, Vec b) { return a.v * b.v; }
    friend Vec operator/(Vec a, Vec b) { return a.v / b.v; }
    Vec& operator+=(Vec o) { return v += o.v, *this; }
    Vec& operator*=(Vec o) { return v *= o.v, *this; }
    friend Mask<T> operator<(Vec a, Vec b) { return {a.v < b.v}; }
    friend Mask<T> operator<=(Vec a, Vec b) { return {a.v <= b.v}; }
    friend Mask<T> operator>(Vec a, Vec b) { return {a.v > b.v}; }
    friend Mask<T> operator>=(Vec a, Vec b) { return {a.v >= b.v}; }
    friend Mask<T> operator==(Vec a, Vec b) { return {a.v == b.v}; }
    friend Mask<T> operator!=(Vec a, Vec b) { return {a.v != b.v}; }
};

template <class T> bool any(Mask<T> m) {
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)m.m, (__m512i)m.m) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)m.m, (__m256i)m.m);
#elif defined(__SSE2__)
    return _mm_movemask_epi8((__m128i)m.m) != 0;
#else
    IntOf<T> r = 0;
    for (int i = 0; i < Vec<T>::size; ++i) r |= IntOf<T>(m.m[i]);
    return r != 0;
#endif
}
template <class T> Vec<T> select(Mask<T> m, Vec<T> a, Vec<T> b) { return Vec<T>(m.m ? a.v : b.v); }
/// The smaller (larger) of a bound and x; x where x is NaN. One instruction, which `select` does not become.
// With a mask of all lanes the intrinsics have no operand that the compiler takes for uninitialised; the code is the
// same.
template <class T> Vec<T> minimum_of(Vec<T> bound, Vec<T> x) {
    using Raw = typename Vec<T>::Raw;
    [[maybe_unused]] constexpr bool single = sizeof(T) == 4;
#if defined(__AVX512F__)
    if constexpr (single) return (Raw)_mm512_maskz_min_ps(0xffff, (__m512)bound.v, (__m512)x.v);
    else return (Raw)_mm512_maskz_min_pd(0xff, (__m512d)bound.v, (__m512d)x.v);
#elif defined(__AVX2__)
    if constexpr (single) return (Raw)_mm256_min_ps((__m256)bound.v, (__m256)x.v);
    else return (Raw)_mm256_min_pd((__m256d)bound.v, (__m256d)x.v);
#elif defined(__SSE2__)
    if constexpr (single) return (Raw)_mm_min_ps((__m128)bound.v, (__m128)x.v);
    else return (Raw)_mm_min_pd((__m128d)bound.v, (__m128d)x.v);
#else
    return select(x > bound, bound, x);
#endif
}
template <class T> Vec<T> maximum_of(Vec<T> bound, Vec<T> x) {
    using Raw = typename Vec<T>::Raw;
    [[maybe_unused]] constexpr bool single = sizeof(T) == 4;
#if defined(__AVX512F__)
    if constexpr (single) return (Raw)_mm512_maskz_max_ps(0xffff, (__m512)bound.v, (__m512)x.v);
    else return (Raw)_mm512_maskz_max_pd(0xff, (__m512d)bound.v, (__m512d)x.v);
#elif defined(__AVX2__)
    if constexpr (single) return (Raw)_mm256_max_ps((__m256)bound.v, (__m256)x.v);
    else return (Raw)_mm256_max_pd((__m256d)bound.v, (__m256d)x.v);
#elif defined(__SSE2__)
    if constexpr (single) return (Raw)_mm_max_ps((__m128)bound.v, (__m128)x.v);
    else return (Raw)_mm_max_pd((__m128d)bound.v, (__m128d)x.v);
#else
    return select(x < bound, bound, x);
#endif
}
template <class T> typename Vec<T>::RawInt bits(Vec<T> x) { return (typename Vec<T>::RawInt)x.v; }
template <class T> Vec<T> from_bits(typename Vec<T>::RawInt x) { return Vec<T>((typename Vec<T>::Raw)x); }

/// Applies a scalar function lane by lane: the long tail without a vector form.
template <class T, class F> Vec<T> map_lanes(Vec<T> x, F f) {
    Vec<T> r;
    for (int i = 0; i < Vec<T>::size; ++i) r.v[i] = f(x.v[i]);
    return r;
}
template <class T, class F> Vec<T> map_lanes(Vec<T> x, Vec<T> y, F f) {
    Vec<T> r;
    for (int i = 0; i < Vec<T>::size; ++i) r.v[i] = f(x.v[i], y.v[i]);
    return r;
}

/// Loads that widen the 16-bit types to float.
inline Vec<float> load_as(const float* p) { return Vec<float>::load(p); }
inline Vec<double> load_as(const double* p) { return Vec<double>::load(p); }
inline Vec<float> load_as(const BFloat16* p) {
#if defined(__AVX2__) && !defined(__AVX512F__) // g++ 12 widens either half and joins them
    const __m256i u = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return Vec<float>((Vec<float>::Raw)_mm256_slli_epi32(u, 16));
#else
    typedef std::uint16_t H __attribute__((vector_size(vector_bytes / 2)));
    typedef std::uint32_t W __attribute__((vector_size(vector_bytes)));
    H h;
    std::memcpy(&h, p, sizeof(h));
    return Vec<float>((Vec<float>::Raw)(__builtin_convertvector(h, W) << 16));
#endif
}
inline void store_as(BFloat16* p, Vec<float> x) {
    typedef std::uint32_t W __attribute__((vector_size(vector_bytes)));
    const W u = (W)x.v;
    const W rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    const W r = (W)(x.v != x.v ? W{} + 0x7fc0u : rounded);
#if defined(__AVX2__) && !defined(__AVX512F__)
    const __m256i halves = _mm256_packus_epi32((__m256i)r, (__m256i)r); // each half of the lanes by itself
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(_mm256_permute4x64_epi64(halves, 8)));
#else
    typedef std::uint16_t H __attribute__((vector_size(vector_bytes / 2)));
    const H h = __builtin_convertvector(r, H);
    std::memcpy(static_cast<void*>(p), &h, sizeof(h));
#endif
}
// Binary16: by the processor where it can, else by integer arithmetic on whole vectors; bit for bit as the scalar
// conversions of half.hpp, but that a signalling NaN that is read becomes quiet.
inline Vec<float> load_as(const Half* p) {
#if defined(__AVX512F__)
    return Vec<float>(_mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#elif defined(__AVX2__) && defined(__F16C__)
    return Vec<float>(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#else
    typedef std::uint16_t H __attribute__((vector_size(vector_bytes / 2)));
    typedef std::uint32_t W __attribute__((vector_size(vector_bytes)));
    H h;
    std::memcpy(&h, p, sizeof(h));
    const W u = __builtin_convertvector(h, W);
    const W magnitude = (u & 0x7fffu) << 13;
    // as a float its exponent is 112 too small; the product is exact, of subnormal numbers, too
    const W finite = (W)((typename Vec<float>::Raw)magnitude * 5.192296858534828e33f); // 2^112
    const W special = (W)(magnitude >= 0x0f800000u);                                   // infinity, NaN
    const W r = (finite & ~special) | ((magnitude | 0x7f800000u) & special) | ((u & 0x8000u) << 16);
    return Vec<float>((Vec<float>::Raw)r);
#endif
}
inline void store_as(Half* p, Vec<float> x) {
    typedef std::uint32_t W __attribute__((vector_size(vector_bytes)));
    using Raw = typename Vec<float>::Raw;
    const W u = (W)x.v;
#if defined(__F16C__)
    const Raw plain = (Raw)(x.v != x.v ? (u & 0x80000000u) | 0x7fc00000u : u); // nothing carried
#endif
#if defined(__AVX512F__)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_maskz_cvtps_ph(0xffff, plain, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__AVX2__) && defined(__F16C__)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(plain, _MM_FROUND_TO_NEAREST_INT));
#else
    typedef std::uint16_t H __attribute__((vector_size(vector_bytes / 2)));
    const W a = u & 0x7fffffffu, is_nan = (W)(a > 0x7f800000u);
    const W normal = (a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13;
    const W subnormal = (W)((Raw)a + 0.5f) - 0x3f000000u; // the addition rounds
    const W is_small = (W)(a < 0x38800000u), is_large = (W)(a >= 0x47800000u);
    W r = (subnormal & is_small) | (normal & ~is_small);
    r = (r & ~is_large) | (0x7c00u & is_large & ~is_nan) | (0x7e00u & is_nan) | ((u >> 16) & 0x8000u);
    const H h = __builtin_convertvector(r, H);
    std::memcpy(static_cast<void*>(p), &h, sizeof(h));
#endif
}
inline void store_as(float* p, Vec<float> x) { x.store(p); }
inline void store_as(double* p, Vec<double> x) { x.store(p); }

/// Non-temporal stores for results larger than the last-level cache; `p` is vector-aligned.
template <class T> void stream(T* p, Vec<T> x) {
#if defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__)
    typedef long long L __attribute__((vector_size(vector_bytes)));
#if defined(__AVX512F__)
    __builtin_ia32_movntdq512(reinterpret_cast<L*>(p), (L)x.v);
#elif defined(__AVX2__)
    __builtin_ia32_movntdq256(reinterpret_cast<L*>(p), (L)x.v);
#else
    __builtin_ia32_movntdq(reinterpret_cast<L*>(p), (L)x.v);
#endif
#else
    x.store(p);
#endif
}
inline void stream_fence() {
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}

} // namespace reel::cpu::REEL_ISA
