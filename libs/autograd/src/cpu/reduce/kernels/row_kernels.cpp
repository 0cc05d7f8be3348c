// Rows: several vectors of running results, then the lanes of all in a fixed order.
#include "cpu/reduce/row_kernels.hpp"

#include <reel/autograd/detail/cpu/vec_math.hpp>

#include "cpu/reduce/kernels/lane_tree.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

template <bool Max, class C> bool beats(C a, C b) { return Max ? a > b : a < b; }

/// The first element that is `value`; there is one.
template <class T, class C> std::int64_t find(const T* p, std::int64_t n, C value) {
    constexpr int block = 64;
    std::int64_t i = 0;
    for (; i + block <= n; i += block) {
        int hits = 0;
        for (int k = 0; k < block; ++k) hits |= C(p[i + k]) == value;
        if (hits) break;
    }
    while (C(p[i]) != value) ++i;
    return i;
}

template <bool Max, class T> std::int64_t place(const T* p, std::int64_t n) {
    T best = p[0];
    for (std::int64_t i = 1; i < n; ++i) best = beats<Max>(p[i], best) ? p[i] : best;
    return find(p, n, best);
}

/// Of floats, which have NaN, and of 16-bit ones, which are widened on the way.
template <bool Max, class T> std::int64_t place_of_float(const T* p, std::int64_t n) {
    using C = Compute<T>;
    using V = Vec<C>;
    constexpr int w = V::size, count = 4;
    C best(p[0]);
    bool nan = false;
    std::int64_t i = 0;
    if (n >= count * w) {
        V m[count];
        for (int k = 0; k < count; ++k) m[k] = load_as(p + k * w);
        auto unordered = m[0] != m[0];
        for (; i + count * w <= n; i += count * w)
            for (int k = 0; k < count; ++k) {
                const V x = load_as(p + i + k * w);
                unordered = unordered | (x != x);
                m[k] = select(Max ? x > m[k] : x < m[k], x, m[k]);
            }
        nan = any(unordered);
        best = m[0][0];
        for (int k = 0; k < count; ++k)
            for (int l = 0; l < w; ++l) best = beats<Max>(C(m[k][l]), best) ? C(m[k][l]) : best;
    }
    for (; i < n; ++i) {
        const C x(p[i]);
        nan = nan || x != x;
        best = beats<Max>(x, best) ? x : best;
    }
    const auto is_it = [&](auto x) { return nan ? x != x : x == decltype(x)(best); };
    std::int64_t at = 0;
    for (; at + count * w <= n; at += count * w) {
        auto hits = is_it(load_as(p + at));
        for (int k = 1; k < count; ++k) hits = hits | is_it(load_as(p + at + k * w));
        if (any(hits)) break;
    }
    while (!is_it(C(p[at]))) ++at;
    return at;
}

/// Lanes in which one of two is NaN.
Mask<float> either_is_nan(VF a, VF b) {
#if defined(__AVX512F__)
    return {(VF::RawInt)_mm512_maskz_set1_epi32(_mm512_cmp_ps_mask((__m512)a.v, (__m512)b.v, _CMP_UNORD_Q), -1)};
#else
    return (a != a) | (b != b);
#endif
}
template <bool Max, class T> T nan_or_value(const T* p, std::int64_t n);
/// Whole blocks of numbers by one instruction each; they do not keep a NaN, so that is looked for beside, two vectors
/// at a time.
template <bool Max, class T> T value_of_numbers(const T* p, std::int64_t n) {
    constexpr int w = VF::size, count = 8;
    const auto better = [](VF a, VF b) { return Max ? maximum_of(a, b) : minimum_of(a, b); };
    VF m[count];
    for (int k = 0; k < count; ++k) m[k] = load_as(p + k * w);
    auto odd = m[0] != m[0];
    std::int64_t i = 0;
    for (; i + count * w <= n; i += count * w)
        for (int k = 0; k < count; k += 2) {
            const VF x = load_as(p + i + k * w), o = load_as(p + i + (k + 1) * w);
            odd = odd | either_is_nan(x, o);
            m[k] = better(m[k], x);
            m[k + 1] = better(m[k + 1], o);
        }
    if (any(odd)) return nan_or_value<Max>(p, n);
    for (int step = count / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) m[k] = better(m[k], m[k + step]);
#pragma GCC unroll 4
    for (int step = w / 2; step > 0; step /= 2) {
        VF::RawInt from;
        for (int l = 0; l < w; ++l) from[l] = (l + step) % w;
        m[0] = better(m[0], VF(__builtin_shuffle(m[0].v, from)));
    }
    float best = m[0][0];
    for (; i < n; ++i) {
        const float x(p[i]);
        best = x != x || beats<Max>(x, best) ? x : best;
    }
    return T(best);
}
template <bool Max, class T> T value_of_float(const T* p, std::int64_t n) {
    if constexpr (std::is_same_v<Compute<T>, float>)
        if (n >= 8 * VF::size) return value_of_numbers<Max>(p, n);
    return nan_or_value<Max>(p, n);
}
template <bool Max, class T> T nan_or_value(const T* p, std::int64_t n) {
    using C = Compute<T>;
    using V = Vec<C>;
    constexpr int w = V::size, count = 8;
    C best(p[0]);
    std::int64_t i = 0;
    if (n >= count * w) {
        V m[count];
        for (int k = 0; k < count; ++k) m[k] = load_as(p + k * w);
        for (i = count * w; i + count * w <= n; i += count * w)
            for (int k = 0; k < count; ++k) {
                const V x = load_as(p + i + k * w); // a NaN that is there stays: nothing compares with it
                m[k] = select((Max ? x > m[k] : x < m[k]) | (x != x), x, m[k]);
            }
        const auto join = [](V a, V b) { return select((Max ? b > a : b < a) | (b != b), b, a); };
        for (int step = count / 2; step > 0; step /= 2)
            for (int k = 0; k < step; ++k) m[k] = join(m[k], m[k + step]);
#pragma GCC unroll 4
        for (int step = w / 2; step > 0; step /= 2) {
            typename V::RawInt from;
            for (int l = 0; l < w; ++l) from[l] = (l + step) % w;
            m[0] = join(m[0], V(__builtin_shuffle(m[0].v, from)));
        }
        best = m[0][0];
    }
    for (; i < n; ++i) {
        const C x(p[i]);
        best = x != x || beats<Max>(x, best) ? x : best;
    }
    return T(best);
}

/// Columns from `c` on, `vectors` of them at a time.
template <bool Max, class T, int vectors> void strip_of_floats(const T* p, std::int64_t rows, std::int64_t ld, T* out) {
    using V = Vec<Compute<T>>;
    constexpr int w = V::size;
    V best[vectors];
    for (int k = 0; k < vectors; ++k) best[k] = load_as(p + k * w);
    for (std::int64_t r = 1; r < rows; ++r)
        for (int k = 0; k < vectors; ++k) {
            const V x = load_as(p + r * ld + k * w);
            best[k] = select((Max ? x > best[k] : x < best[k]) | (x != x), x, best[k]);
        }
    for (int k = 0; k < vectors; ++k) store_as(out + k * w, best[k]);
}
template <bool Max, class T>
void columns_of_floats(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    using C = Compute<T>;
    constexpr int w = Vec<C>::size;
    std::int64_t c = 0;
    for (; c + 4 * w <= count; c += 4 * w) strip_of_floats<Max, T, 4>(p + c, rows, ld, out + c);
    for (; c + w <= count; c += w) strip_of_floats<Max, T, 1>(p + c, rows, ld, out + c);
    for (; c < count; ++c) {
        C best(p[c]);
        for (std::int64_t r = 1; r < rows; ++r) {
            const C x(p[r * ld + c]);
            best = beats<Max>(x, best) || x != x ? x : best;
        }
        out[c] = T(best);
    }
}
template <bool Max, class T> void columns(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    constexpr int block = 256 / int(sizeof(T));
    for (std::int64_t c = 0; c < count; c += block) {
        T best[block];
        const int n = int(count - c < block ? count - c : block);
        for (int k = 0; k < n; ++k) best[k] = p[c + k];
        for (std::int64_t r = 1; r < rows; ++r) {
            const T* const row = p + r * ld + c;
            if (n == block)
                for (int k = 0; k < block; ++k) best[k] = beats<Max>(row[k], best[k]) ? row[k] : best[k];
            else
                for (int k = 0; k < n; ++k) best[k] = beats<Max>(row[k], best[k]) ? row[k] : best[k];
        }
        for (int k = 0; k < n; ++k) out[c + k] = best[k];
    }
}

/// Blocks of rows one after the other, then the blocks' sums likewise, as sums of float32 columns do.
template <class T> void sum_of_columns(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    using V = Vec<float>;
    constexpr int w = V::size, lanes = 64, vectors = lanes / w;
    constexpr std::int64_t block = 128;
    for (std::int64_t c = 0; c < count; c += lanes) {
        const int n = int(count - c < lanes ? count - c : lanes);
        V total[vectors];
        for (int k = 0; k < vectors; ++k) total[k] = V(0.f);
        T padded[lanes] = {};
        for (std::int64_t r = 0; r < rows;) {
            const std::int64_t end = rows - r < block ? rows : r + block;
            V acc[vectors];
            for (int k = 0; k < vectors; ++k) acc[k] = V(0.f);
            for (; r < end; ++r) {
                const T* row = p + r * ld + c;
                if (n < lanes) {
                    for (int k = 0; k < n; ++k) padded[k] = row[k];
                    row = padded;
                }
                for (int k = 0; k < vectors; ++k) acc[k] += load_as(row + k * w);
            }
            for (int k = 0; k < vectors; ++k) total[k] += acc[k];
        }
        for (int k = 0; k < vectors; ++k) store_as(padded + k * w, total[k]);
        for (int k = 0; k < n; ++k) out[c + k] = padded[k];
    }
}

/// 32 running sums of f(p[i]), then a tree over them.
template <class T, class F> double summed(const T* p, std::int64_t n, F f) {
    constexpr int lanes = 32;
    double sum[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int k = 0; k < lanes; ++k) sum[k] += f(double(p[i + k]));
    for (int k = 0; i < n; ++i, ++k) sum[k] += f(double(p[i]));
    for (int step = lanes / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) sum[k] += sum[k + step];
    return sum[0];
}
template <class T> double squares(const T* p, std::int64_t n) {
    return summed(p, n, [](double x) { return x * x; });
}
template <class T> double magnitudes(const T* p, std::int64_t n) {
    return summed(p, n, [](double x) { return __builtin_fabs(x); });
}
template <class T> double wide_sum(const T* p, std::int64_t n) {
    return summed(p, n, [](double x) { return x; });
}
template <class T> double spread(const T* p, std::int64_t n, double mean) {
    return summed(p, n, [mean](double x) { return (x - mean) * (x - mean); });
}

constexpr int product_lanes = 64;

/// 64 products that do not wait for each other, then a tree over them.
template <class T> T product_of_floats(const T* p, std::int64_t n) {
    using C = Compute<T>;
    using V = Vec<C>;
    constexpr int lanes = product_lanes, w = V::size, count = lanes / w;
    V part[count];
    for (int k = 0; k < count; ++k) part[k] = V(C(1));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int k = 0; k < count; ++k) part[k] *= load_as(p + i + k * w);
    const auto join = [](auto a, auto b) { return a * b; };
    return T(tree_of_lanes(part, p + i, n - i, join, [](auto x) { return x; }));
}
/// Each column as `product_of_floats` takes a row. Strips are of whole vectors, the last one padded with ones.
template <class T>
void products_of_columns(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    using V = Vec<Compute<T>>;
    constexpr int w = V::size, width = 32, vectors = width / w;
    V part[product_lanes][vectors];
    T padded[width];
    for (int k = 0; k < width; ++k) padded[k] = T(1.f);
    for (std::int64_t c = 0; c < count; c += width) {
        const int n = int(count - c < width ? count - c : width);
        for (auto& lane : part)
            for (V& v : lane) v = V(Compute<T>(1));
        for (std::int64_t r = 0; r < rows; ++r) {
            const T* row = p + r * ld + c;
            if (n < width) {
                for (int k = 0; k < n; ++k) padded[k] = row[k];
                row = padded;
            }
            V* const lane = part[r % product_lanes];
            for (int k = 0; k < vectors; ++k) lane[k] *= load_as(row + k * w);
        }
        for (int step = product_lanes / 2; step > 0; step /= 2)
            for (int l = 0; l < step; ++l)
                for (int k = 0; k < vectors; ++k) part[l][k] *= part[l + step][k];
        T done[width];
        for (int k = 0; k < vectors; ++k) store_as(done + k * w, part[0][k]);
        for (int k = 0; k < n; ++k) out[c + k] = done[k];
    }
}
template <class T>
void products_of_whole_columns(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    for (std::int64_t c = 0; c < count; ++c) out[c] = T(1);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < count; ++c) out[c] = T(std::uint64_t(out[c]) * std::uint64_t(p[r * ld + c]));
}
template <class T> T product_of_integers(const T* p, std::int64_t n) {
    std::uint64_t r = 1; // modulo 2^64 is modulo every power of two below
    for (std::int64_t i = 0; i < n; ++i) r *= std::uint64_t(p[i]);
    return T(r);
}
template <class T> std::uint64_t whole_sum(const T* p, std::int64_t n) {
    std::uint64_t r = 0;
    std::int64_t i = 0;
    if constexpr (std::is_same_v<T, bool>) { // in bytes, as long as they hold the sums
        typedef std::uint8_t Bytes __attribute__((vector_size(vector_bytes)));
        while (i + vector_bytes <= n) {
            Bytes sums = {};
            for (int k = 0; k < 255 && i + vector_bytes <= n; ++k, i += vector_bytes) {
                Bytes each;
                std::memcpy(&each, p + i, sizeof(each));
                sums += each;
            }
            for (int k = 0; k < vector_bytes; ++k) r += sums[k];
        }
    }
    for (; i < n; ++i) r += std::uint64_t(p[i]);
    return r;
}

template <class T> T exponentials(const T* p, std::int64_t n, T shift) {
    using V = Vec<T>;
    constexpr int w = V::size, lanes = 64, count = lanes / w;
    V acc[count];
    for (int k = 0; k < count; ++k) acc[k] = V(T(0));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int k = 0; k < count; ++k) acc[k] += exp(V::load(p + i + k * w) - V(shift));
    T lane[lanes];
    for (int k = 0; k < count; ++k) acc[k].store(lane + k * w);
    for (int k = 0; i < n; i += w, k += w) { // the rest by vectors, too: the same bits wherever an element lies
        T padded[w];
        for (int l = 0; l < w; ++l) padded[l] = i + l < n ? p[i + l] - shift : T(0);
        const V e = exp(V::load(padded));
        for (int l = 0; l < w && i + l < n; ++l) lane[k + l] += e[l];
    }
    for (int step = lanes / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
    return lane[0];
}

template <class T> void set_integers() {
    row_kernels<T>.largest = &place<true, T>;
    row_kernels<T>.smallest = &place<false, T>;
    row_kernels<T>.largest_of_columns = &columns<true, T>;
    row_kernels<T>.smallest_of_columns = &columns<false, T>;
    row_kernels<T>.whole_sum = &whole_sum<T>;
    if constexpr (!std::is_same_v<T, bool>) {
        row_kernels<T>.product = &product_of_integers<T>;
        row_kernels<T>.product_of_columns = &products_of_whole_columns<T>;
    }
}
template <class T> void set_floats() {
    row_kernels<T>.largest = &place_of_float<true, T>;
    row_kernels<T>.smallest = &place_of_float<false, T>;
    row_kernels<T>.largest_of_columns = &columns_of_floats<true, T>;
    row_kernels<T>.smallest_of_columns = &columns_of_floats<false, T>;
    row_kernels<T>.largest_value = &value_of_float<true, T>;
    row_kernels<T>.smallest_value = &value_of_float<false, T>;
    row_kernels<T>.product = &product_of_floats<T>;
    row_kernels<T>.product_of_columns = &products_of_columns<T>;
}

} // namespace

void register_row_kernels() {
    set_integers<std::uint8_t>();
    set_integers<std::int8_t>();
    set_integers<std::int16_t>();
    set_integers<std::int32_t>();
    set_integers<std::int64_t>();
    set_integers<bool>();
    set_floats<float>();
    set_floats<double>();
    set_floats<Half>();
    set_floats<BFloat16>();
    row_kernels<Half>.sum_of_columns = &sum_of_columns<Half>;
    row_kernels<BFloat16>.sum_of_columns = &sum_of_columns<BFloat16>;
    row_kernels<float>.squares = &squares<float>;
    row_kernels<double>.squares = &squares<double>;
    row_kernels<float>.magnitudes = &magnitudes<float>;
    row_kernels<double>.magnitudes = &magnitudes<double>;
    row_kernels<float>.spread = &spread<float>;
    row_kernels<double>.spread = &spread<double>;
    row_kernels<float>.wide_sum = &wide_sum<float>;
    row_kernels<double>.wide_sum = &wide_sum<double>;
    row_kernels<float>.exponentials = &exponentials<float>;
    row_kernels<double>.exponentials = &exponentials<double>;
}

} // namespace reel::cpu::REEL_ISA
