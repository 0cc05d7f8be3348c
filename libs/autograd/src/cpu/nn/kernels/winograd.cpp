// Winograd's F(4x4, 3x3): transforms of whole vectors of channels, and the products for one frequency.
#include "cpu/nn/winograd_kernels.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

#include "cpu/shape/vec_transpose.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

using V = Vec<float>;
constexpr int L = V::size;

// The polynomials are interpolated at 0, +-p, +-q and infinity with p = 1 / sqrt(2), q = sqrt(2): p q = 1 makes most
// constants powers of two, and the error in float32 is a third of that at 0, +-1, +-2 (doc/adr/0083).
constexpr float p = 0.70710678118654752f, q = 1.41421356237309505f, pp = 0.5f, qq = 2.f, ppp = p / 2, qqq = q * 2;
constexpr float at_p = -1.f / 1.5f, at_q = 1.f / 6.f; // what the kernel's values at these points are divided by

/// Six places to six values: the transposed matrix of the interpolation.
inline void source_line(V* d) {
    const V even_p = d[4] - V(qq) * d[2], odd_p = V(p) * (d[3] - V(qq) * d[1]);
    const V even_q = d[4] - V(pp) * d[2], odd_q = V(q) * (d[3] - V(pp) * d[1]);
    d[0] = d[0] - V(pp + qq) * d[2] + d[4];
    d[5] = d[1] - V(pp + qq) * d[3] + d[5];
    d[1] = even_p + odd_p;
    d[2] = even_p - odd_p;
    d[3] = even_q + odd_q;
    d[4] = even_q - odd_q;
}
/// Four places to six values: a polynomial of degree 3 at the points.
inline void gradient_line(V* d) {
    const V even_p = d[0] + V(pp) * d[2], odd_p = V(p) * d[1] + V(ppp) * d[3];
    const V even_q = d[0] + V(qq) * d[2], odd_q = V(q) * d[1] + V(qqq) * d[3];
    d[5] = d[3];
    d[1] = even_p + odd_p;
    d[2] = even_p - odd_p;
    d[3] = even_q + odd_q;
    d[4] = even_q - odd_q;
}
/// Six values to four places: the adjoint of `gradient_line`.
inline void result_line(V* d) {
    const V sum_p = d[1] + d[2], less_p = d[1] - d[2], sum_q = d[3] + d[4], less_q = d[3] - d[4];
    d[0] = d[0] + sum_p + sum_q;
    d[1] = V(p) * less_p + V(q) * less_q;
    d[2] = V(pp) * sum_p + V(qq) * sum_q;
    d[3] = V(ppp) * less_p + V(qqq) * less_q + d[5];
}
/// Three places to six values: a polynomial of degree 2 at the points, divided.
inline void filter_line(V* d) {
    const V even_p = V(at_p) * d[0] + V(at_p * pp) * d[2], odd_p = V(at_p * p) * d[1];
    const V even_q = V(at_q) * d[0] + V(at_q * qq) * d[2], odd_q = V(at_q * q) * d[1];
    d[5] = d[2];
    d[1] = even_p + odd_p;
    d[2] = even_p - odd_p;
    d[3] = even_q + odd_q;
    d[4] = even_q - odd_q;
}
/// Six values to three places: the adjoint of `filter_line`.
inline void filter_gradient_line(V* d) {
    const V sum_p = V(at_p) * (d[1] + d[2]), less_p = V(at_p) * (d[1] - d[2]);
    const V sum_q = V(at_q) * (d[3] + d[4]), less_q = V(at_q) * (d[3] - d[4]);
    d[0] = d[0] + sum_p + sum_q;
    d[1] = V(p) * less_p + V(q) * less_q;
    d[2] = V(pp) * sum_p + V(qq) * sum_q + d[5];
}

/// A square of `from` x `from` vectors to one of `to` x `to`: `line` along the columns, then along the rows. `load`
/// reads a column.
template <int from, int to, class Load, class Line, class Store>
inline void both_ways(Load load, Line line, Store store) {
    V half[from][to];
#pragma GCC unroll 6
    for (int j = 0; j < from; ++j) {
        V d[6];
        load(j, d);
        line(d);
#pragma GCC unroll 6
        for (int i = 0; i < to; ++i) half[j][i] = d[i];
    }
#pragma GCC unroll 6
    for (int i = 0; i < to; ++i) {
        V d[6];
#pragma GCC unroll 6
        for (int j = 0; j < from; ++j) d[j] = half[j][i];
        line(d);
#pragma GCC unroll 6
        for (int j = 0; j < to; ++j) store(i, j, d[j]);
    }
}

/// Reads columns of a square from a strip; what is outside is zero.
template <int n, bool inside> struct Reader {
    const float* strip;
    const WinogradSquare<n>& s;
    void operator()(int j, V* d) const {
        const std::int64_t column = inside ? s.col[0] + j : s.col[j];
#pragma GCC unroll 6
        for (int i = 0; i < n; ++i)
            d[i] = inside || (column >= 0 && s.row[i] >= 0) ? V::load(strip + (s.row[i] + column) * L) : V(0.f);
    }
};
/// Reads columns of a square of n x n frequencies, or taps.
template <int n> struct Slices {
    const float* from;
    std::int64_t slice;
    void operator()(int j, V* d) const {
#pragma GCC unroll 6
        for (int i = 0; i < n; ++i) d[i] = V::load(from + (n * i + j) * slice);
    }
};
template <int n, class Line>
inline void transform(const float* strip, const WinogradSquare<n>* squares, std::int64_t count, float* v,
                      std::int64_t slice, Line line) {
    for (std::int64_t t = 0; t < count; ++t) {
        float* to = v + t * L;
        const auto store = [to, slice](int i, int j, V x) { x.store(to + (6 * i + j) * slice); };
        if (squares[t].inside) both_ways<n, 6>(Reader<n, true>{strip, squares[t]}, line, store);
        else both_ways<n, 6>(Reader<n, false>{strip, squares[t]}, line, store);
    }
}
void source(const float* strip, const WinogradSource* squares, std::int64_t n, float* v, std::int64_t slice) {
    transform(strip, squares, n, v, slice, [](V* d) { source_line(d); });
}
void gradient(const float* strip, const WinogradTarget* squares, std::int64_t n, float* v, std::int64_t slice) {
    transform(strip, squares, n, v, slice, [](V* d) { gradient_line(d); });
}
void result(const float* m, std::int64_t slice, const WinogradTarget* squares, std::int64_t n, const float* bias,
            float* strip) {
    const V b = V::load(bias);
    for (std::int64_t t = 0; t < n; ++t) {
        const WinogradTarget& s = squares[t];
        const float* from = m + t * L;
        const Slices<6> load{from, slice};
        const auto line = [](V* d) { result_line(d); };
        if (s.inside)
            both_ways<6, 4>(load, line, [&](int i, int j, V x) {
                (x + b).store(strip + (std::int64_t(s.row[i]) + s.col[0] + j) * L);
            });
        else
            both_ways<6, 4>(load, line, [&](int i, int j, V x) {
                if (s.row[i] >= 0 && s.col[j] >= 0) (x + b).store(strip + (std::int64_t(s.row[i]) + s.col[j]) * L);
            });
    }
}
void filter(const float* w, bool turned, float* u, std::int64_t slice) {
    const auto line = [](V* d) { filter_line(d); };
    const auto store = [u, slice](int i, int j, V x) { x.store(u + (6 * i + j) * slice); };
    both_ways<3, 6>(Slices<3>{turned ? w + 8 * L : w, turned ? -L : L}, line, store);
}
void filter_gradient(const float* u, std::int64_t slice, std::int64_t parts, std::int64_t next, float* w) {
    const auto load = [=](int j, V* d) {
        Slices<6>{u, slice}(j, d);
        for (std::int64_t k = 1; k < parts; ++k) {
            V more[6];
            Slices<6>{u + k * next, slice}(j, more);
#pragma GCC unroll 6
            for (int i = 0; i < 6; ++i) d[i] += more[i];
        }
    };
    both_ways<6, 3>(
        load, [](V* d) { filter_gradient_line(d); }, [w](int i, int j, V x) { x.store(w + (3 * i + j) * L); });
}

/// to[c][r] = from[r][c] for L rows and L columns, of which the first `rows` (`columns`) are there: others are zero
/// (not written).
template <class T, class U>
inline void transpose_part(const T* from, std::int64_t ld, std::int64_t rows, U* to, std::int64_t ldto,
                           std::int64_t columns) {
    V::Raw x[L];
    for (int r = 0; r < L; ++r) x[r] = r < rows ? load_as(from + r * ld).v : V::Raw{};
    transpose_rows<L / 2, L, V::Raw, V::RawInt>(x);
    for (int c = 0; c < L; ++c)
        if (c < columns) store_as(to + c * ldto, V(x[c]));
}
/// All rows and columns.
template <class T, class U> inline void transpose_block(const T* from, std::int64_t ld, U* to, std::int64_t ldto) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float> && std::is_same_v<U, float>) {
        // Quarters of rows come from memory where they belong; what is left are squares of 4 within the quarters.
        typedef double Pairs __attribute__((vector_size(vector_bytes)));
        const auto quarters = [from, ld](int i, int part) {
            const auto at = [=](int r) { return _mm_loadu_ps(from + (r + i) * ld + part * 4); };
            __m512 x = _mm512_zextps128_ps512(at(0));
            x = _mm512_maskz_insertf32x4(0xffff, x, at(4), 1);
            x = _mm512_maskz_insertf32x4(0xffff, x, at(8), 2);
            return (V::Raw)_mm512_maskz_insertf32x4(0xffff, x, at(12), 3);
        };
        constexpr V::RawInt low = {0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29}, high = low + 2;
        typedef long long Places __attribute__((vector_size(vector_bytes)));
        constexpr Places first = {0, 8, 2, 10, 4, 12, 6, 14}, second = first + 1;
#pragma GCC unroll 4
        for (int part = 0; part < 4; ++part) {
            const V::Raw a = quarters(0, part), b = quarters(1, part), c = quarters(2, part), d = quarters(3, part);
            const Pairs ab = (Pairs)__builtin_shuffle(a, b, low), cd = (Pairs)__builtin_shuffle(c, d, low),
                        ab2 = (Pairs)__builtin_shuffle(a, b, high), cd2 = (Pairs)__builtin_shuffle(c, d, high);
            float* row = to + part * 4 * ldto;
            V((V::Raw)__builtin_shuffle(ab, cd, first)).store(row);
            V((V::Raw)__builtin_shuffle(ab, cd, second)).store(row + ldto);
            V((V::Raw)__builtin_shuffle(ab2, cd2, first)).store(row + 2 * ldto);
            V((V::Raw)__builtin_shuffle(ab2, cd2, second)).store(row + 3 * ldto);
        }
        return;
    }
#endif
    transpose_part(from, ld, L, to, ldto, L);
}
template <class T>
__attribute__((flatten)) void gather(const T* from, std::int64_t ld, std::int64_t channels, std::int64_t places,
                                     float* to) {
    if (places < L) {
        for (std::int64_t i = 0; i < places; ++i)
            for (int c = 0; c < L; ++c) to[i * L + c] = c < channels ? float(from[c * ld + i]) : 0.f;
        return;
    }
    // the last block overlaps the one before
    for (std::int64_t i = 0; i < places; i += L) {
        const std::int64_t at = i + L <= places ? i : places - L;
        if (channels < L) transpose_part(from + at, ld, channels, to + at * L, L, L);
        else transpose_block(from + at, ld, to + at * L, L);
    }
}
template <class T>
__attribute__((flatten)) void scatter(const float* from, std::int64_t channels, std::int64_t places, T* to,
                                      std::int64_t ld) {
    if (places < L) {
        for (int c = 0; c < channels; ++c)
            for (std::int64_t i = 0; i < places; ++i) to[c * ld + i] = T(from[i * L + c]);
        return;
    }
    for (std::int64_t i = 0; i < places; i += L) {
        const std::int64_t at = i + L <= places ? i : places - L;
        if (channels < L) transpose_part(from + at * L, L, L, to + at, ld, channels);
        else transpose_block(from + at * L, L, to + at, ld);
    }
}

// The products hold rows by vectors of sums in registers. Sums run in the order of c (of the tiles) alone, so bits do
// not depend on how rows are cut.
#if defined(__AVX512F__)
constexpr int pair_rows = 12, single_rows = 24, unit = 4, outer_rows = 8;
#else
constexpr int pair_rows = 6, single_rows = 12, unit = 2, outer_rows = 4;
#endif

template <int rows, int vectors>
void multiply_tile(std::int64_t channels, const float* v, std::int64_t next_v, const float* u, std::int64_t next_u,
                   float* m, std::int64_t next_m) {
    V acc[rows][vectors];
#pragma GCC unroll 24
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) acc[r][k] = V(0.f);
    for (std::int64_t c0 = 0; c0 < channels; c0 += L, v += next_v) {
        const std::int64_t n = channels - c0 < L ? channels - c0 : L;
        for (std::int64_t c = 0; c < n; ++c, u += L) {
            V x[vectors];
#pragma GCC unroll 2
            for (int k = 0; k < vectors; ++k) x[k] = V::load(u + k * next_u);
#pragma GCC unroll 24
            for (int r = 0; r < rows; ++r) {
                const V s(v[r * L + c]);
#pragma GCC unroll 2
                for (int k = 0; k < vectors; ++k) acc[r][k] += s * x[k];
            }
        }
    }
#pragma GCC unroll 24
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) acc[r][k].store(m + k * next_m + r * L);
}
/// All tiles, by as many rows as the registers hold, what is left by fewer.
template <int rows, int vectors>
void multiply_rows(std::int64_t channels, const float* v, const float* u, float* m, std::int64_t tiles,
                   std::int64_t done) {
    std::int64_t t = done;
    for (; t + rows <= tiles; t += rows)
        multiply_tile<rows, vectors>(channels, v + t * L, tiles * L, u, channels * L, m + t * L, tiles * L);
    if constexpr (rows > unit) {
        constexpr int fewer = rows > pair_rows ? pair_rows : rows - unit;
        if (t < tiles) multiply_rows<fewer, vectors>(channels, v, u, m, tiles, t);
    }
}
void multiply(std::int64_t channels, const float* v, const float* u, float* m, std::int64_t blocks,
              std::int64_t tiles) {
    std::int64_t b = 0;
    for (; b + 2 <= blocks; b += 2)
        multiply_rows<pair_rows, 2>(channels, v, u + b * channels * L, m + b * tiles * L, tiles, 0);
    if (b < blocks) multiply_rows<single_rows, 1>(channels, v, u + b * channels * L, m + b * tiles * L, tiles, 0);
}

template <int rows, int vectors>
void outer_tile(const float* v, const float* y, std::int64_t next_y, float* u, std::int64_t next_u, std::int64_t tiles,
                bool add) {
    V acc[rows][vectors];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) acc[r][k] = add ? V::load(u + k * next_u + r * L) : V(0.f);
    for (std::int64_t t = 0; t < tiles; ++t, v += L, y += L) {
        V x[vectors];
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) x[k] = V::load(y + k * next_y);
#pragma GCC unroll 16
        for (int r = 0; r < rows; ++r) {
            const V s(v[r]);
#pragma GCC unroll 2
            for (int k = 0; k < vectors; ++k) acc[r][k] += s * x[k];
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) acc[r][k].store(u + k * next_u + r * L);
}
void outer(std::int64_t v_blocks, const float* v, const float* y, float* u, std::int64_t blocks, std::int64_t tiles,
           bool add) {
    constexpr int pair = outer_rows < L ? outer_rows : L, single = L;
    const std::int64_t next_y = tiles * L, next_u = v_blocks * L * L;
    for (std::int64_t a = 0; a < v_blocks; ++a, v += tiles * L, u += L * L) {
        std::int64_t b = 0;
        for (; b + 2 <= blocks; b += 2)
            for (int r = 0; r < L; r += pair)
                outer_tile<pair, 2>(v + r, y + b * next_y, next_y, u + b * next_u + r * L, next_u, tiles, add);
        if (b < blocks)
            for (int r = 0; r < L; r += single)
                outer_tile<single, 1>(v + r, y + b * next_y, next_y, u + b * next_u + r * L, next_u, tiles, add);
    }
}

} // namespace

void register_winograd() {
    winograd_kernels = {L, unit, &source, &gradient, &result, &filter, &filter_gradient, &multiply, &outer};
    winograd_images<float> = {&gather<float>, &scatter<float>};
    winograd_images<BFloat16> = {&gather<BFloat16>, &scatter<BFloat16>};
    winograd_images<Half> = {&gather<Half>, &scatter<Half>};
}

} // namespace reel::cpu::REEL_ISA
