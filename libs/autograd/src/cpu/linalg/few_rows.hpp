// Products of few rows with a large matrix, which is read once, as it lies: to bring it into another order, as products
// of many rows do, would take longer than the product.
#pragma once

#include <cstdint>

#include "cpu/linalg/vector_product.hpp"

namespace reel::cpu {

/// The inner loops, compiled once per instruction set.
template <class T> struct FewRowsKernels {
    int most = 0; ///< rows that they take at once
    /// Rows up to which, and multiplications from which on they beat OpenBLAS.
    std::int64_t few = 0, least_work = 0;
    /// c[r][j] += sum over l of a[r * row_a + l * step_a] b[l][j]; row l of b is at `l * ldb`, row r of c at `r * ldc`.
    /// All `most` rows of c are there, and may be overwritten.
    void (*add)(int rows, std::int64_t n, std::int64_t k, const T* a, std::int64_t row_a, std::int64_t step_a,
                const T* b, std::int64_t ldb, T* c, std::int64_t ldc);
    /// c[r][j] = sum over l of a[r][l] b[j][l], added to what is there if `adds`.
    void (*dots)(int rows, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                 bool adds, T* c, std::int64_t ldc);
};
template <class T> inline constinit FewRowsKernels<T> few_rows_kernels{};

/// Does the product if it is one of few rows with a matrix that is no small one, alpha is 1 and beta 0 or 1. The bits
/// do not depend on threads.
template <class T> bool few_rows_product(const Product<T>& p);

} // namespace reel::cpu
