// The sum of one block: eight vectors of lanes, then a tree over lanes of fixed width. Sums of columns, row by row.
#include "cpu/sum.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

namespace {
constexpr std::int64_t column_block = 128; // rows that are added up one by one

/// 64 running sums whatever the vector width, so that every instruction set gives the same bits.
template <class T> T block(const T* p, std::int64_t n) {
    constexpr int lanes = 64, w = Vec<T>::size, count = lanes / w;
    Vec<T> acc[count];
    for (int k = 0; k < count; ++k) acc[k] = Vec<T>(T(0));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int k = 0; k < count; ++k) acc[k] = acc[k] + Vec<T>::load(p + i + k * w);
    T lane[lanes];
    for (int k = 0; k < count; ++k) acc[k].store(lane + k * w);
    for (int k = 0; i < n; ++i, ++k) lane[k] += p[i];
    for (int step = lanes / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
    return lane[0];
}
/// out[c] = the sum of column c of `count` columns: blocks of rows one after the other, then the blocks' sums likewise.
template <class T, int vectors> void strip(const T* p, std::int64_t rows, std::int64_t ld, T* out) {
    constexpr int w = Vec<T>::size;
    Vec<T> total[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) total[v] = Vec<T>(T(0));
    for (std::int64_t r = 0; r < rows;) {
        const std::int64_t end = rows - r < column_block ? rows : r + column_block;
        Vec<T> acc[vectors];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) acc[v] = Vec<T>::load(p + r * ld + v * w);
        for (++r; r < end; ++r)
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) acc[v] += Vec<T>::load(p + r * ld + v * w);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) total[v] += acc[v];
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) total[v].store(out + v * w);
}
template <class T> void columns(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    constexpr int w = Vec<T>::size;
    std::int64_t c = 0;
    for (; c + 8 * w <= count; c += 8 * w) strip<T, 8>(p + c, rows, ld, out + c);
    for (; c + w <= count; c += w) strip<T, 1>(p + c, rows, ld, out + c);
    for (; c < count; ++c) {
        T total = 0;
        for (std::int64_t r = 0; r < rows;) {
            const std::int64_t end = rows - r < column_block ? rows : r + column_block;
            T acc = p[r * ld + c];
            for (++r; r < end; ++r) acc += p[r * ld + c];
            total += acc;
        }
        out[c] = total;
    }
}
} // namespace

void register_sum() {
    sum_kernels.f32 = &block<float>;
    sum_kernels.f64 = &block<double>;
    sum_kernels.columns_f32 = &columns<float>;
    sum_kernels.columns_f64 = &columns<double>;
}

} // namespace reel::cpu::REEL_ISA
