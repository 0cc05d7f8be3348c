// Sums of rows: vectors of lanes, then a tree over lanes of fixed width. Sums of columns, row by row.
#include "cpu/reduce/sum.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

#include "cpu/reduce/kernels/lane_tree.hpp"

namespace reel::cpu::REEL_ISA {

namespace {
constexpr std::int64_t column_block = 128; // rows that are added up one by one

/// What is added of an element or a vector of them: all, or zero for NaN.
template <bool numbers, class X> X term(X x) {
    if constexpr (!numbers) return x;
    else if constexpr (std::is_floating_point_v<X>) return x != x ? X(0) : x;
    else return select(x != x, X(0), x);
}

/// Adds whole lots of 64 elements to 64 running sums; how far they reach.
template <bool numbers, class C, int vectors, class T>
std::int64_t add_up(Vec<C> (&acc)[vectors], const T* p, std::int64_t n) {
    constexpr int w = Vec<C>::size;
    std::int64_t i = 0;
    for (; i + vectors * w <= n; i += vectors * w)
        for (int k = 0; k < vectors; ++k) acc[k] = acc[k] + term<numbers>(load_as(p + i + k * w));
    return i;
}
/// Two elements of bfloat16 are the halves of 32 bits: one is a shift away from float32, the other a mask. Each keeps
/// its own running sum, which goes to its place at the end.
template <bool numbers, int vectors>
std::int64_t add_up(Vec<float> (&acc)[vectors], const BFloat16* p, std::int64_t n) {
    using V = Vec<float>;
    typedef std::uint32_t Pairs __attribute__((vector_size(vector_bytes)));
    constexpr int w = V::size;
    V even[vectors / 2], odd[vectors / 2];
    for (int k = 0; k < vectors / 2; ++k) even[k] = odd[k] = V(0.f);
    std::int64_t i = 0;
    for (; i + vectors * w <= n; i += vectors * w)
        for (int k = 0; k < vectors / 2; ++k) {
            Pairs pairs;
            std::memcpy(&pairs, p + i + 2 * k * w, sizeof(pairs));
            even[k] = even[k] + term<numbers>(V((V::Raw)(pairs << 16)));
            odd[k] = odd[k] + term<numbers>(V((V::Raw)(pairs & 0xffff0000u)));
        }
    V::RawInt low, high;
    for (int l = 0; l < w; ++l) {
        low[l] = l / 2 + l % 2 * w;
        high[l] = low[l] + w / 2;
    }
    for (int k = 0; k < vectors / 2; ++k) {
        acc[2 * k] = V(__builtin_shuffle(even[k].v, odd[k].v, low));
        acc[2 * k + 1] = V(__builtin_shuffle(even[k].v, odd[k].v, high));
    }
    return i;
}

/// 64 running sums whatever the vector width, so that every instruction set gives the same bits. 16 bits are widened on
/// the way.
template <class T, bool numbers> void rows(const T* p, std::int64_t count, std::int64_t n, Compute<T>* out) {
    using C = Compute<T>;
    const auto join = [](auto a, auto b) { return a + b; };
    const auto lanes_of = [join](const T* row, std::int64_t length) {
        constexpr int lanes = 64, w = Vec<C>::size, vectors = lanes / w;
        Vec<C> acc[vectors];
        for (int k = 0; k < vectors; ++k) acc[k] = Vec<C>(C(0));
        const std::int64_t i = add_up<numbers>(acc, row, length);
        return joined_vectors(acc, row + i, length - i, T(0.f), join, [](auto x) { return term<numbers>(x); });
    };
    reduce_rows(p, count, n, out, lanes_of, join);
}
/// out[c] = the sum of column c of `count` columns: blocks of rows one after the other, then the blocks' sums likewise.
template <class T, bool numbers, int vectors> void strip(const T* p, std::int64_t rows, std::int64_t ld, T* out) {
    constexpr int w = Vec<T>::size;
    Vec<T> total[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) total[v] = Vec<T>(T(0));
    for (std::int64_t r = 0; r < rows;) {
        const std::int64_t end = rows - r < column_block ? rows : r + column_block;
        Vec<T> acc[vectors];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) acc[v] = term<numbers>(Vec<T>::load(p + r * ld + v * w));
        for (++r; r < end; ++r)
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) acc[v] += term<numbers>(Vec<T>::load(p + r * ld + v * w));
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) total[v] += acc[v];
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) total[v].store(out + v * w);
}
template <class T, bool numbers>
void columns(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    constexpr int w = Vec<T>::size;
    std::int64_t c = 0;
    for (; c + 8 * w <= count; c += 8 * w) strip<T, numbers, 8>(p + c, rows, ld, out + c);
    for (; c + w <= count; c += w) strip<T, numbers, 1>(p + c, rows, ld, out + c);
    if (c < count && count >= w) return strip<T, numbers, 1>(p + count - w, rows, ld, out + count - w); // some again
    for (; c < count; ++c) {
        T total = 0;
        for (std::int64_t r = 0; r < rows;) {
            const std::int64_t end = rows - r < column_block ? rows : r + column_block;
            T acc = term<numbers>(p[r * ld + c]);
            for (++r; r < end; ++r) acc += term<numbers>(p[r * ld + c]);
            total += acc;
        }
        out[c] = total;
    }
}
template <class T> void set() {
    sum_kernels<T>.rows = &rows<T, false>;
    sum_kernels<T>.rows_of_numbers = &rows<T, true>;
    if constexpr (std::is_same_v<T, Compute<T>>) {
        sum_kernels<T>.columns = &columns<T, false>;
        sum_kernels<T>.columns_of_numbers = &columns<T, true>;
    }
}
} // namespace

void register_sum() {
    set<float>();
    set<double>();
    set<Half>();
    set<BFloat16>();
}

} // namespace reel::cpu::REEL_ISA
