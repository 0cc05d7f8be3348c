// The sum of one block: eight vectors of lanes, then a tree over lanes of fixed width. Sums of columns, row by row.
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

/// 64 running sums whatever the vector width, so that every instruction set gives the same bits. 16 bits are widened on
/// the way.
template <class T, bool numbers> Compute<T> block(const T* p, std::int64_t n) {
    using C = Compute<T>;
    constexpr int lanes = 64, w = Vec<C>::size, count = lanes / w;
    Vec<C> acc[count];
    for (int k = 0; k < count; ++k) acc[k] = Vec<C>(C(0));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int k = 0; k < count; ++k) acc[k] = acc[k] + term<numbers>(load_as(p + i + k * w));
    const auto join = [](auto a, auto b) { return a + b; };
    return tree_of_lanes(acc, p + i, n - i, join, [](auto x) { return term<numbers>(x); });
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
    sum_kernels<T>.block = &block<T, false>;
    sum_kernels<T>.block_of_numbers = &block<T, true>;
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
