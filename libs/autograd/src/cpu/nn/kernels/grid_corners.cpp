// Loops over the places of a block.
#include "cpu/nn/grid_corners.hpp"

#include <cstring>

#include <reel/autograd/detail/cpu/vec_arithmetic.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

/// Whole numbers of a vector's lanes.
template <class T> void store_whole(std::int32_t* to, Vec<T> x) {
    typedef std::int32_t Whole __attribute__((vector_size(vector_bytes / sizeof(T) * 4)));
    const Whole whole = __builtin_convertvector(x.v, Whole);
    std::memcpy(to, &whole, sizeof(whole));
}
/// Places a vector at a time, from pairs x, y: what one axis needs of them.
template <class T> struct Axis {
    using V = Vec<T>;
    T size;
    bool align;
    T (*weight)[grid_block], (*slope)[grid_block];
    std::int32_t (*place)[grid_block]; ///< whole places before and behind within [0, size)

    void operator()(std::int64_t i, V g) const {
        const V zero(T(0)), one(T(1)), last(size - 1);
        const V x = align ? (g + one) / V(T(2)) * last : ((g + one) * V(size) - one) / V(T(2));
        const V first = floor(x), u = x - first;
        const Mask<T> before = (first >= zero) & (first <= last), behind = (first >= -one) & (first <= last - one);
        const V unknown = select(isnan(x), x, zero); // what is no place has no value
        (select(before, one - u, zero) + unknown).store(weight[0] + i);
        (select(behind, u, zero) + unknown).store(weight[1] + i);
        select(before, -one, zero).store(slope[0] + i);
        select(behind, one, zero).store(slope[1] + i);
        store_whole(place[0] + i, select(before, first, zero));
        store_whole(place[1] + i, select(behind, first + one, zero));
    }
};

/// Two vectors of pairs become their first and their second elements.
template <class T> void apart(Vec<T>& a, Vec<T>& b) {
    constexpr int w = Vec<T>::size;
    typename Vec<T>::RawInt even;
    for (int l = 0; l < w; ++l) even[l] = IntOf<T>(2 * l);
    const Vec<T> x = __builtin_shuffle(a.v, b.v, even);
    b = __builtin_shuffle(a.v, b.v, even + 1);
    a = x;
}

template <class T>
void find(const T* grid, std::int64_t count, std::int64_t height, std::int64_t width, bool align_corners,
          GridCorners<T>& to) {
    constexpr std::int64_t w = Vec<T>::size;
    static_assert(grid_block % w == 0);
    std::int32_t x[2][grid_block], y[2][grid_block];
    const Axis<T> along{T(width), align_corners, to.weight[0], to.slope[0], x},
        down{T(height), align_corners, to.weight[1], to.slope[1], y};
    T padded[2 * w] = {};
    for (std::int64_t i = 0; i < count; i += w) {
        const T* from = grid + 2 * i;
        if (i + w > count) {
            for (std::int64_t k = 0; k < 2 * (count - i); ++k) padded[k] = from[k];
            from = padded;
        }
        Vec<T> a = Vec<T>::load(from), b = Vec<T>::load(from + w);
        apart(a, b);
        along(i, a);
        down(i, b);
    }
    for (int k = 0; k < 4; ++k)
        for (std::int64_t i = 0; i < count; ++i) {
            to.joint[k][i] = to.weight[0][k & 1][i] * to.weight[1][k >> 1][i];
            to.at[k][i] = y[k >> 1][i] * std::int32_t(width) + x[k & 1][i];
        }
}

/// What weighs nothing does not count, be it infinite.
template <class T> T weighed(T weight, T value) { return weight != 0 ? weight * value : T(0); }

#if defined(__AVX512F__)
/// Gathered elements; the processor's own gathers of shorter vectors take longer than loads one by one.
inline Vec<float> gathered(const float* from, const std::int32_t* at) {
    return (Vec<float>::Raw)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, _mm512_loadu_si512(at), from, 4);
}
inline Vec<double> gathered(const double* from, const std::int32_t* at) {
    const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    return (Vec<double>::Raw)_mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, places, from, 8);
}
template <class T> Vec<T> weighed(const T* weight, const T* from, const std::int32_t* at) {
    const Vec<T> w = Vec<T>::load(weight), zero(T(0));
    return select(w != zero, w * gathered(from, at), zero);
}
#endif

template <class T> void blend(const T* plane, const GridCorners<T>& c, std::int64_t count, T* out) {
    std::int64_t i = 0;
#if defined(__AVX512F__)
    const auto corner = [&](int k) { return weighed(c.joint[k] + i, plane, c.at[k] + i); };
    for (; i + Vec<T>::size <= count; i += Vec<T>::size)
        ((corner(0) + corner(1)) + (corner(2) + corner(3))).store(out + i);
#endif
#pragma GCC ivdep
    for (; i < count; ++i)
        out[i] = (weighed(c.joint[0][i], plane[c.at[0][i]]) + weighed(c.joint[1][i], plane[c.at[1][i]])) +
                 (weighed(c.joint[2][i], plane[c.at[2][i]]) + weighed(c.joint[3][i], plane[c.at[3][i]]));
}
template <class T> void spread(const T* grad, const GridCorners<T>& c, std::int64_t count, T* plane) {
    T value[4][grid_block];
    for (int k = 0; k < 4; ++k)
        for (std::int64_t i = 0; i < count; ++i) value[k][i] = weighed(c.joint[k][i], grad[i]);
    for (std::int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 4; ++k) plane[c.at[k][i]] += value[k][i];
}
template <class T>
void dots(const T* grad, const T* plane, const GridCorners<T>& c, std::int64_t count, T (*sums)[grid_block]) {
    for (int k = 0; k < 4; ++k) {
        std::int64_t i = 0;
#if defined(__AVX512F__)
        for (; i + Vec<T>::size <= count; i += Vec<T>::size)
            (Vec<T>::load(sums[k] + i) + Vec<T>::load(grad + i) * gathered(plane, c.at[k] + i)).store(sums[k] + i);
#endif
#pragma GCC ivdep
        for (; i < count; ++i) sums[k][i] += grad[i] * plane[c.at[k][i]];
    }
}

template <class T> void fill() { grid_kernels<T> = {&find<T>, &blend<T>, &spread<T>, &dots<T>}; }

} // namespace

void register_grid_corners() {
    fill<float>();
    fill<double>();
}

} // namespace reel::cpu::REEL_ISA
