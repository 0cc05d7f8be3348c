// Winograd's F(4x4, 3x3): transforms of whole vectors of channels, and the products for one frequency.
#include "cpu/winograd_kernels.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

#include "cpu/vec_transpose.hpp"

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

/// A square of `from` x `from` vectors to one of `to` x `to`: `line` along the columns, then along the rows.
template <int from, int to, class Load, class Line, class Store>
inline void both_ways(Load load, Line line, Store store) {
    V half[from][to];
#pragma GCC unroll 6
    for (int j = 0; j < from; ++j) {
        V d[6];
#pragma GCC unroll 6
        for (int i = 0; i < from; ++i) d[i] = load(i, j);
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

/// Reads places of a square from a strip; what is outside is zero.
template <int n, bool inside> struct Reader {
    const float* strip;
    const WinogradSquare<n>& s;
    V operator()(int i, int j) const {
        if constexpr (inside) return V::load(strip + (std::int64_t(s.row[i]) + s.col[0] + j) * L);
        if (s.row[i] < 0 || s.col[j] < 0) return V(0.f);
        return V::load(strip + (std::int64_t(s.row[i]) + s.col[j]) * L);
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
        const auto load = [from, slice](int i, int j) { return V::load(from + (6 * i + j) * slice); };
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
    both_ways<3, 6>([=](int i, int j) { return V::load(w + (turned ? 8 - 3 * i - j : 3 * i + j) * L); },
                    [](V* d) { filter_line(d); }, [u, slice](int i, int j, V x) { x.store(u + (6 * i + j) * slice); });
}
void filter_gradient(const float* u, std::int64_t slice, std::int64_t parts, std::int64_t next, float* w) {
    const auto load = [=](int i, int j) {
        const float* from = u + (6 * i + j) * slice;
        V sum = V::load(from);
        for (std::int64_t k = 1; k < parts; ++k) sum += V::load(from + k * next);
        return sum;
    };
    both_ways<6, 3>(
        load, [](V* d) { filter_gradient_line(d); }, [w](int i, int j, V x) { x.store(w + (3 * i + j) * L); });
}

/// L rows of L lanes, transposed in registers.
inline void transpose_square(V::Raw* rows) { transpose_rows<L / 2, L, V::Raw, V::RawInt>(rows); }
template <class T>
__attribute__((flatten)) void gather(const T* from, std::int64_t ld, std::int64_t channels, std::int64_t places,
                                     float* to) {
    if (places < L) {
        for (std::int64_t i = 0; i < places; ++i)
            for (int c = 0; c < L; ++c) to[i * L + c] = c < channels ? float(from[c * ld + i]) : 0.f;
        return;
    }
    for (std::int64_t i = 0; i < places; i += L) {
        const std::int64_t at = i + L <= places ? i : places - L; // the last block overlaps the one before
        V::Raw rows[L];
        for (int c = 0; c < L; ++c) rows[c] = c < channels ? load_as(from + c * ld + at).v : V::Raw{};
        transpose_square(rows);
        for (int c = 0; c < L; ++c) V(rows[c]).store(to + (at + c) * L);
    }
}
template <class T>
__attribute__((flatten)) void scatter(const float* from, std::int64_t channels, std::int64_t places, T* to,
                                      std::int64_t ld) {
    if (places < L) {
        for (std::int64_t i = 0; i < places; ++i)
            for (int c = 0; c < channels; ++c) to[c * ld + i] = T(from[i * L + c]);
        return;
    }
    for (std::int64_t i = 0; i < places; i += L) {
        const std::int64_t at = i + L <= places ? i : places - L;
        V::Raw rows[L];
        for (int c = 0; c < L; ++c) rows[c] = V::load(from + (at + c) * L).v;
        transpose_square(rows);
        for (int c = 0; c < L; ++c)
            if (c < channels) store_as(to + c * ld + at, V(rows[c]));
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
