#include "cpu/linalg/few_rows.hpp"

#include <algorithm>

#include <reel/autograd/parallel.hpp>

#include "cpu/scratch.hpp"

namespace reel::cpu {

namespace {
constexpr std::int64_t share = 500000; // multiplications that are worth a thread

/// Columns [j, end) of some rows of c = a b: sums in memory of their own, since rows of c may be whole pages apart,
/// which all share a few places of a cache.
template <class T>
void add_columns(const Product<T>& p, const T* a, std::int64_t row_a, std::int64_t step_a, int rows, std::int64_t j,
                 std::int64_t end, T* c) {
    constexpr std::int64_t columns = 2048 / sizeof(T), ld = columns + 64 / sizeof(T);
    const int taken = few_rows_kernels<T>.most; // the kernel may use that many
    const Scratch sums(std::size_t(taken * ld) * sizeof(T));
    T* const sum = sums.template as<T>();
    for (; j < end; j += columns) {
        const std::int64_t n = std::min(columns, end - j);
        for (int r = 0; r < rows; ++r)
            if (p.beta != T(0)) std::copy_n(c + r * p.ldc + j, n, sum + r * ld);
            else std::fill_n(sum + r * ld, n, T(0));
        for (int r = rows; r < taken; ++r) std::fill_n(sum + r * ld, n, T(0));
        few_rows_kernels<T>.add(rows, n, p.k, a, row_a, step_a, p.b + j, p.ldb, sum, ld);
        for (int r = 0; r < rows; ++r) std::copy_n(sum + r * ld, n, c + r * p.ldc + j);
    }
}
} // namespace

template <class T> bool few_rows_product(const Product<T>& p) {
    const FewRowsKernels<T>& kernels = few_rows_kernels<T>;
    const bool is_for_us = p.m <= kernels.few && p.m * p.n * p.k >= kernels.least_work && p.n >= 64 && p.k >= 64;
    if (!is_for_us) return false;
    const Scratch turned(p.ta && p.tb ? std::size_t(p.m * p.k) * sizeof(T) : 0);
    const T* a = p.a;
    std::int64_t row_a = p.ta ? 1 : p.lda, step_a = p.ta ? p.lda : 1;
    if (p.ta && p.tb) {
        for (std::int64_t l = 0; l < p.k; ++l)
            for (std::int64_t r = 0; r < p.m; ++r) turned.template as<T>()[r * p.k + l] = p.a[l * p.lda + r];
        a = turned.template as<T>();
        row_a = p.k;
        step_a = 1;
    }
    constexpr std::int64_t unit = 64; // columns that one thread takes at least
    const std::int64_t grain = std::max<std::int64_t>(1, share / (p.m * p.k * unit));
    parallel_for(0, (p.n + unit - 1) / unit, grain, [&](std::int64_t first, std::int64_t last) {
        const std::int64_t j = first * unit, end = std::min(last * unit, p.n);
        for (std::int64_t r = 0; r < p.m; r += kernels.most) {
            const int rows = int(std::min<std::int64_t>(kernels.most, p.m - r));
            const T* const left = a + r * row_a;
            T* const c = p.c + r * p.ldc;
            if (!p.tb) add_columns(p, left, row_a, step_a, rows, j, end, c);
            else kernels.dots(rows, end - j, p.k, left, row_a, p.b + j * p.ldb, p.ldb, p.beta != T(0), c + j, p.ldc);
        }
    });
    return true;
}
template bool few_rows_product(const Product<float>&);
template bool few_rows_product(const Product<double>&);

} // namespace reel::cpu
