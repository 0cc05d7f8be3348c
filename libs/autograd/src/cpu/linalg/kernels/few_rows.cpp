// Products of few rows: sums of rows of the matrix, or dot products with them.
#include "cpu/linalg/few_rows.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

#include "cpu/reduce/kernels/lane_tree.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

#if defined(__AVX512F__)
constexpr int most = 8; // rows, with two results each in 32 registers
constexpr std::int64_t few_bytes = 64, least_work = 1000000;
#else
constexpr int most = 4;
constexpr std::int64_t few_bytes = 16, least_work = 200000;
#endif

/// `depth` rows of b into `rows` rows of c.
template <class T, int rows, int depth>
void add_rows(std::int64_t n, const T* a, std::int64_t row_a, std::int64_t step_a, const T* b, std::int64_t ldb, T* c,
              std::int64_t ldc) {
    using V = Vec<T>;
    constexpr int w = V::size;
    T factor[depth][rows];
    for (int l = 0; l < depth; ++l)
        for (int r = 0; r < rows; ++r) factor[l][r] = a[r * row_a + l * step_a];
    std::int64_t j = 0;
    for (; j + w <= n; j += w) {
        V x[depth];
#pragma GCC unroll 8
        for (int l = 0; l < depth; ++l) x[l] = V::load(b + l * ldb + j);
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) {
            V sum = V::load(c + r * ldc + j);
#pragma GCC unroll 8
            for (int l = 0; l < depth; ++l) sum += V(factor[l][r]) * x[l];
            sum.store(c + r * ldc + j);
        }
    }
    for (; j < n; ++j)
        for (int r = 0; r < rows; ++r) {
            T sum = c[r * ldc + j];
            for (int l = 0; l < depth; ++l) sum += factor[l][r] * b[l * ldb + j];
            c[r * ldc + j] = sum;
        }
}
template <class T, int rows>
void add_to(std::int64_t n, std::int64_t k, const T* a, std::int64_t row_a, std::int64_t step_a, const T* b,
            std::int64_t ldb, T* c, std::int64_t ldc) {
    std::int64_t l = 0;
    for (; l + 4 <= k; l += 4) add_rows<T, rows, 4>(n, a + l * step_a, row_a, step_a, b + l * ldb, ldb, c, ldc);
    for (; l < k; ++l) add_rows<T, rows, 1>(n, a + l * step_a, row_a, step_a, b + l * ldb, ldb, c, ldc);
}

/// `count` rows of b with `rows` of a.
template <class T, int rows, int count>
void dots_of(std::int64_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, bool adds, T* c,
             std::int64_t ldc) {
    using V = Vec<T>;
    constexpr int w = V::size;
    V sum[rows * count];
#pragma GCC unroll 16
    for (int i = 0; i < rows * count; ++i) sum[i] = V(T(0));
    std::int64_t l = 0;
    for (; l + w <= k; l += w) {
        V x[count];
#pragma GCC unroll 2
        for (int j = 0; j < count; ++j) x[j] = V::load(b + j * ldb + l);
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) {
            const V y = V::load(a + r * lda + l);
#pragma GCC unroll 2
            for (int j = 0; j < count; ++j) sum[r * count + j] += y * x[j];
        }
    }
    join_lanes(sum, [](V x, V y) { return x + y; });
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
        for (int j = 0; j < count; ++j) {
            T each = sum[r * count + j][0];
            for (std::int64_t i = l; i < k; ++i) each += a[r * lda + i] * b[j * ldb + i];
            T& to = c[r * ldc + j];
            to = adds ? to + each : each;
        }
}
template <class T, int rows>
void dots_with(std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, bool adds,
               T* c, std::int64_t ldc) {
    std::int64_t j = 0;
    for (; j + 2 <= n; j += 2) dots_of<T, rows, 2>(k, a, lda, b + j * ldb, ldb, adds, c + j, ldc);
    if (j < n) dots_of<T, rows, 1>(k, a, lda, b + j * ldb, ldb, adds, c + j, ldc);
}

/// `f` with the number of rows as a constant.
template <int rows = most, class F> void with_rows(int count, F f) {
    if (count == rows) return f(std::integral_constant<int, rows>());
    if constexpr (rows > 1) with_rows<rows - 1>(count, f);
}
template <class T> void set() {
    few_rows_kernels<T>.most = most;
    few_rows_kernels<T>.few = few_bytes / std::int64_t(sizeof(T));
    few_rows_kernels<T>.least_work = least_work;
    few_rows_kernels<T>.add = [](int rows, std::int64_t n, std::int64_t k, const T* a, std::int64_t row_a,
                                 std::int64_t step_a, const T* b, std::int64_t ldb, T* c, std::int64_t ldc) {
        with_rows(rows, [&](auto r) { add_to<T, r()>(n, k, a, row_a, step_a, b, ldb, c, ldc); });
    };
    few_rows_kernels<T>.dots = [](int rows, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b,
                                  std::int64_t ldb, bool adds, T* c, std::int64_t ldc) {
        with_rows(rows, [&](auto r) { dots_with<T, r()>(n, k, a, lda, b, ldb, adds, c, ldc); });
    };
}
} // namespace

void register_few_rows() {
    set<float>();
    set<double>();
}

} // namespace reel::cpu::REEL_ISA
