#include "cpu/linalg/vector_product.hpp"

#include <algorithm>
#include <cblas.h>
#include <complex>
#include <type_traits>
#include <vector>

#include <reel/autograd/parallel.hpp>

#include "cpu/linalg/serial_blas.hpp"
#include "cpu/shape/row_updates.hpp"

namespace reel::cpu {

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

constexpr std::int64_t share = 1 << 15; ///< multiplications that are worth a thread

float dot(std::int64_t n, const float* x, std::int64_t dx, const float* y, std::int64_t dy) {
    return cblas_sdot(blasint(n), x, blasint(dx), y, blasint(dy));
}
double dot(std::int64_t n, const double* x, std::int64_t dx, const double* y, std::int64_t dy) {
    return cblas_ddot(blasint(n), x, blasint(dx), y, blasint(dy));
}
C dot(std::int64_t n, const C* x, std::int64_t dx, const C* y, std::int64_t dy) {
    C r;
    cblas_cdotu_sub(blasint(n), x, blasint(dx), y, blasint(dy), &r);
    return r;
}
Z dot(std::int64_t n, const Z* x, std::int64_t dx, const Z* y, std::int64_t dy) {
    Z r;
    cblas_zdotu_sub(blasint(n), x, blasint(dx), y, blasint(dy), &r);
    return r;
}

/// y += alpha op(a) x for the stored matrix a [rows, cols].
void add_gemv(CBLAS_TRANSPOSE t, std::int64_t rows, std::int64_t cols, float alpha, const float* a, std::int64_t lda,
              const float* x, std::int64_t dx, float* y, std::int64_t dy) {
    cblas_sgemv(CblasRowMajor, t, blasint(rows), blasint(cols), alpha, a, blasint(lda), x, blasint(dx), 1, y,
                blasint(dy));
}
void add_gemv(CBLAS_TRANSPOSE t, std::int64_t rows, std::int64_t cols, double alpha, const double* a, std::int64_t lda,
              const double* x, std::int64_t dx, double* y, std::int64_t dy) {
    cblas_dgemv(CblasRowMajor, t, blasint(rows), blasint(cols), alpha, a, blasint(lda), x, blasint(dx), 1, y,
                blasint(dy));
}
void add_gemv(CBLAS_TRANSPOSE t, std::int64_t rows, std::int64_t cols, C alpha, const C* a, std::int64_t lda,
              const C* x, std::int64_t dx, C* y, std::int64_t dy) {
    const C one(1);
    cblas_cgemv(CblasRowMajor, t, blasint(rows), blasint(cols), &alpha, a, blasint(lda), x, blasint(dx), &one, y,
                blasint(dy));
}
void add_gemv(CBLAS_TRANSPOSE t, std::int64_t rows, std::int64_t cols, Z alpha, const Z* a, std::int64_t lda,
              const Z* x, std::int64_t dx, Z* y, std::int64_t dy) {
    const Z one(1);
    cblas_zgemv(CblasRowMajor, t, blasint(rows), blasint(cols), &alpha, a, blasint(lda), x, blasint(dx), &one, y,
                blasint(dy));
}

/// A matrix as it is stored, and whether the product reads it transposed.
template <class T> struct Stored {
    const T* data;
    std::int64_t ld;
    bool transposed;
};

/// c (n numbers, `dc` apart) = alpha op(a) x + beta c, where op(a) is [n, k].
template <class T>
void matrix_vector(const Stored<T>& a, std::int64_t n, std::int64_t k, T alpha, const T* x, std::int64_t dx, T beta,
                   T* c, std::int64_t dc) {
    const std::int64_t step = std::max<std::int64_t>((share / std::max<std::int64_t>(k, 1) + 15) / 16 * 16, 16);
    parallel_for(0, (n + step - 1) / step, 1, [&](std::int64_t first, std::int64_t last) {
        const SerialBlas serial;
        for (std::int64_t part = first; part < last; ++part) {
            const std::int64_t i = part * step, rows = std::min(step, n - i);
            T* const y = c + i * dc;
            // What is overwritten must not count, be it NaN: BLAS may scale it.
            for (std::int64_t r = 0; r < rows; ++r) y[r * dc] = beta == T(0) ? T(0) : beta * y[r * dc];
            if (a.transposed) add_gemv(CblasTrans, k, rows, alpha, a.data + i, a.ld, x, dx, y, dc);
            else add_gemv(CblasNoTrans, rows, k, alpha, a.data + i * a.ld, a.ld, x, dx, y, dc);
        }
    });
}

/// One sum over k, in pieces that do not depend on threads.
template <class T> T long_dot(std::int64_t k, const T* x, std::int64_t dx, const T* y, std::int64_t dy) {
    const std::int64_t pieces = (k + share - 1) / share;
    std::vector<T> sums(static_cast<std::size_t>(pieces));
    parallel_for(0, pieces, 1, [&](std::int64_t first, std::int64_t last) {
        const SerialBlas serial;
        for (std::int64_t i = first; i < last; ++i)
            sums[std::size_t(i)] = dot(std::min(share, k - i * share), x + i * share * dx, dx, y + i * share * dy, dy);
    });
    T sum(0);
    for (const T& s : sums) sum += s;
    return sum;
}

/// to = x from
template <class T> void scaled(T* to, const T* from, T x, std::int64_t n) {
    if constexpr (std::is_floating_point_v<T>) row_updates<T>.scale(to, from, x, n);
    else
        for (std::int64_t j = 0; j < n; ++j) to[j] = x * from[j];
}
template <class T> void outer(const Product<T>& p, std::int64_t da, std::int64_t db) {
    if (p.n == 1 && p.beta == T(0) && da == 1 && p.ldc == 1) { // one column: a row that stands upright
        const T x = p.alpha * *p.b;
        return parallel_for(0, p.m, share, [&](std::int64_t first, std::int64_t last) {
            scaled(p.c + first, p.a + first, x, last - first);
        });
    }
    const std::int64_t step = std::max<std::int64_t>(share / p.n, 1);
    parallel_for(0, p.m, step, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            const T x = p.alpha * p.a[i * da];
            T* const row = p.c + i * p.ldc;
            if (p.beta != T(0))
                for (std::int64_t j = 0; j < p.n; ++j) row[j] = x * p.b[j * db] + p.beta * row[j];
            else if (db == 1) scaled(row, p.b, x, p.n);
            else
                for (std::int64_t j = 0; j < p.n; ++j) row[j] = x * p.b[j * db];
        }
    });
}

} // namespace

template <class T> bool vector_product(const Product<T>& p) {
    // the distance of a's numbers in a row of the product, and of b's in a column
    const std::int64_t along_a = p.ta ? p.lda : 1, along_b = p.tb ? 1 : p.ldb;
    if (p.k == 0) return false;
    if (p.k == 1) {
        outer(p, p.ta ? 1 : p.lda, p.tb ? p.ldb : 1);
        return true;
    }
    if (p.m == 1 && p.n == 1) {
        const T sum = p.alpha * long_dot(p.k, p.a, along_a, p.b, along_b);
        *p.c = p.beta == T(0) ? sum : sum + p.beta * *p.c;
        return true;
    }
    if (p.n == 1) {
        matrix_vector<T>({p.a, p.lda, p.ta}, p.m, p.k, p.alpha, p.b, along_b, p.beta, p.c, p.ldc);
        return true;
    }
    if (p.m == 1) {
        matrix_vector<T>({p.b, p.ldb, !p.tb}, p.n, p.k, p.alpha, p.a, along_a, p.beta, p.c, 1);
        return true;
    }
    return false;
}

template bool vector_product(const Product<float>&);
template bool vector_product(const Product<double>&);
template bool vector_product(const Product<C>&);
template bool vector_product(const Product<Z>&);

} // namespace reel::cpu
