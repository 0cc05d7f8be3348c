// Products of few rows: sums of rows of the matrix, or dot products with them.
#include "cpu/linalg/few_rows.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

#include "cpu/reduce/kernels/lane_tree.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

// `few_bytes`: of a column of the product up to which these loops beat the library.
#if defined(__AVX512F__)
constexpr int most = 8; // rows, with two results each in 32 registers
constexpr std::int64_t few_bytes = 64, least_work = 1000000;
#else
constexpr int most = 4;
constexpr std::int64_t few_bytes = 16, least_work = 200000;
#endif

/// `depth` rows of b into `rows` rows of c.
template <class T, int rows, int depth>
void add_rows(int used, std::int64_t n, const T* a, std::int64_t row_a, std::int64_t step_a, const T* b,
              std::int64_t ldb, T* c, std::int64_t ldc) {
    using V = Vec<T>;
    constexpr int w = V::size;
    T factor[depth][rows];
    for (int l = 0; l < depth; ++l)
        for (int r = 0; r < rows; ++r) factor[l][r] = a[(r < used ? r : 0) * row_a + l * step_a];
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
        for (int r = 0; r < used; ++r) {
            T sum = c[r * ldc + j];
            for (int l = 0; l < depth; ++l) sum += factor[l][r] * b[l * ldb + j];
            c[r * ldc + j] = sum;
        }
}
template <class T, int rows>
void add_to(int used, std::int64_t n, std::int64_t k, const T* a, std::int64_t row_a, std::int64_t step_a, const T* b,
            std::int64_t ldb, T* c, std::int64_t ldc) {
    std::int64_t l = 0;
    for (; l + 4 <= k; l += 4) add_rows<T, rows, 4>(used, n, a + l * step_a, row_a, step_a, b + l * ldb, ldb, c, ldc);
    for (; l < k; ++l) add_rows<T, rows, 1>(used, n, a + l * step_a, row_a, step_a, b + l * ldb, ldb, c, ldc);
}

/// The first `n` elements of a vector, zeros behind them.
template <class T> [[gnu::noinline]] Vec<T> part_of(const T* p, std::int64_t n) {
    T all[Vec<T>::size] = {};
    for (std::int64_t i = 0; i < n; ++i) all[i] = p[i];
    return Vec<T>::load(all);
}
/// Two rows of b, or one that stands for both, with `used` of `rows` rows of a.
template <class T, int rows>
void dots_of(int used, std::int64_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, bool adds, T* c,
             std::int64_t ldc, int columns) {
    using V = Vec<T>;
    constexpr int w = V::size;
    const T* const other = columns > 1 ? b + ldb : b;
    V sum[2 * rows];
    const T* row[rows];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
        row[r] = a + (r < used ? r : 0) * lda;
        sum[2 * r] = sum[2 * r + 1] = V(T(0));
    }
    std::int64_t l = 0;
    for (; l + w <= k; l += w) {
        const V x = V::load(b + l), z = V::load(other + l);
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) {
            const V y = V::load(row[r] + l);
            sum[2 * r] += y * x;
            sum[2 * r + 1] += y * z;
        }
    }
    if (l < k) {
        const V x = part_of(b + l, k - l), z = part_of(other + l, k - l);
        for (int r = 0; r < rows; ++r) {
            const V y = part_of(row[r] + l, k - l);
            sum[2 * r] += y * x;
            sum[2 * r + 1] += y * z;
        }
    }
    join_lanes(sum, [](V x, V y) { return x + y; });
    for (int r = 0; r < used; ++r)
        for (int j = 0; j < columns; ++j) {
            T& to = c[r * ldc + j];
            const T each = sum[2 * r + j][0];
            to = adds ? to + each : each;
        }
}
template <class T, int rows>
void dots_with(int used, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
               bool adds, T* c, std::int64_t ldc) {
    for (std::int64_t j = 0; j < n; j += 2)
        dots_of<T, rows>(used, k, a, lda, b + j * ldb, ldb, adds, c + j, ldc, n - j > 1 ? 2 : 1);
}

/// `f` with the number of rows, rounded up to a power of two, as a constant.
template <int rows = most, class F> void with_rows(int count, F f) {
    if constexpr (rows > 2)
        if (count <= rows / 2) return with_rows<rows / 2>(count, f);
    f(std::integral_constant<int, rows>());
}
template <class T> void set() {
    few_rows_kernels<T>.most = most;
    few_rows_kernels<T>.few = few_bytes / std::int64_t(sizeof(T));
    few_rows_kernels<T>.least_work = least_work;
    few_rows_kernels<T>.add = [](int rows, std::int64_t n, std::int64_t k, const T* a, std::int64_t row_a,
                                 std::int64_t step_a, const T* b, std::int64_t ldb, T* c, std::int64_t ldc) {
        with_rows(rows, [&](auto r) { add_to<T, r()>(rows, n, k, a, row_a, step_a, b, ldb, c, ldc); });
    };
    few_rows_kernels<T>.dots = [](int rows, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b,
                                  std::int64_t ldb, bool adds, T* c, std::int64_t ldc) {
        with_rows(rows, [&](auto r) { dots_with<T, r()>(rows, n, k, a, lda, b, ldb, adds, c, ldc); });
    };
}
} // namespace

void register_few_rows() {
    set<float>();
    set<double>();
}

} // namespace reel::cpu::REEL_ISA
