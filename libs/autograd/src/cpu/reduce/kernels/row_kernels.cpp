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

/// Has a NaN been seen?
template <class C> class NanWatch {
public:
#if defined(__AVX512F__)
    void look(Vec<C> a, Vec<C> b) {
        if constexpr (sizeof(C) == 4) seen_ |= _mm512_cmp_ps_mask((__m512)a.v, (__m512)b.v, _CMP_UNORD_Q);
        else seen_ |= _mm512_cmp_pd_mask((__m512d)a.v, (__m512d)b.v, _CMP_UNORD_Q);
    }
    bool saw_one() const { return seen_ != 0; }

private:
    std::conditional_t<sizeof(C) == 4, __mmask16, __mmask8> seen_ = 0;
#else
    void look(Vec<C> a, Vec<C> b) { seen_ = seen_ | (a != a) | (b != b); }
    bool saw_one() const { return any(seen_); }

private:
    Mask<C> seen_ = Vec<C>(C(0)) != Vec<C>(C(0));
#endif
};
/// The first NaN of a row, which has one.
template <class T> Compute<T> first_nan(const T* p) {
    while (Compute<T>(*p) == Compute<T>(*p)) ++p;
    return Compute<T>(*p);
}
/// Of rows of at least one vector. Extrema are found by one instruction each, which does not keep a NaN, so that is
/// looked for beside, two vectors at a time. The last vector may hold elements that have been seen.
template <bool Max, class T> void values_of_long_rows(const T* p, std::int64_t rows, std::int64_t n, T* out) {
    using C = Compute<T>;
    using V = Vec<C>;
    const auto better = [](V a, V b) { return Max ? maximum_of(a, b) : minimum_of(a, b); };
    const auto lanes = [better](const T* row, std::int64_t length) {
        constexpr int w = V::size, count = 8;
        V m[count];
        for (int k = 0; k < count; ++k) m[k] = load_as(row);
        const V last = load_as(row + length - w);
        NanWatch<C> watch;
        watch.look(m[0], last);
        std::int64_t i = 0;
        for (; i + count * w <= length; i += count * w)
            for (int k = 0; k < count; k += 2) {
                const V x = load_as(row + i + k * w), o = load_as(row + i + (k + 1) * w);
                watch.look(x, o);
                m[k] = better(m[k], x);
                m[k + 1] = better(m[k + 1], o);
            }
        for (; i + w <= length; i += w) {
            const V x = load_as(row + i);
            watch.look(x, x);
            m[0] = better(m[0], x);
        }
        m[1] = better(m[1], last);
        if (watch.saw_one()) return V(first_nan(row));
#pragma GCC unroll 8
        for (int step = count / 2; step > 0; step /= 2)
#pragma GCC unroll 8
            for (int k = 0; k < step; ++k) m[k] = better(m[k], m[k + step]);
        return m[0];
    };
    reduce_rows(p, rows, n, out, lanes, better);
}
template <bool Max, class T> void values_of_floats(const T* p, std::int64_t rows, std::int64_t n, T* out) {
    using C = Compute<T>;
    if (n >= Vec<C>::size) return values_of_long_rows<Max>(p, rows, n, out);
    for (std::int64_t r = 0; r < rows; ++r, p += n) {
        C best(p[0]);
        for (std::int64_t i = 1; i < n && best == best; ++i) {
            const C x(p[i]);
            best = x != x || beats<Max>(x, best) ? x : best;
        }
        out[r] = T(best);
    }
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
}
template <class T> void set_floats() {
    row_kernels<T>.largest = &place_of_float<true, T>;
    row_kernels<T>.smallest = &place_of_float<false, T>;
    row_kernels<T>.largest_of_columns = &columns_of_floats<true, T>;
    row_kernels<T>.smallest_of_columns = &columns_of_floats<false, T>;
    row_kernels<T>.largest_values = &values_of_floats<true, T>;
    row_kernels<T>.smallest_values = &values_of_floats<false, T>;
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
