// gemm over OpenBLAS and plain loops for what it does not know.
#include <cblas.h>

#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/gemm.hpp"

namespace reel::cpu {

namespace {

template <class T> const T* at(const void* p, bool trans, std::int64_t ld, std::int64_t row, std::int64_t col) {
    return static_cast<const T*>(p) + (trans ? col * ld + row : row * ld + col);
}

/// How a product is cut for the threads: by its shape alone, so that the bits do not depend on their number. Every tile
/// copies its rows of A and its columns of B, so there are few tiles, as square as can be.
struct Grid {
    std::int64_t rows, cols, row_step, col_step;
    Grid(std::int64_t m, std::int64_t n, std::int64_t k) {
        const double work = double(m) * double(n) * double(k);
        const std::int64_t parts = work < 4e6 ? 1 : work < 3e7 ? 2 : work < 4e9 ? 4 : 8;
        std::int64_t best = 1;
        for (std::int64_t r = 2; r <= parts; r *= 2)
            if (r * n + parts / r * m < best * n + parts / best * m) best = r;
        row_step = step(m, best);
        col_step = step(n, parts / best);
        rows = (m + row_step - 1) / row_step;
        cols = (n + col_step - 1) / col_step;
    }
    static std::int64_t step(std::int64_t extent, std::int64_t parts) {
        return std::max<std::int64_t>(((extent + parts - 1) / parts + 15) / 16 * 16, 16);
    }
};

template <class T, class Call>
void tiled(bool ta, bool tb, std::int64_t m, std::int64_t n, const void* a, std::int64_t lda, const void* b,
           std::int64_t ldb, void* c, std::int64_t ldc, std::int64_t k, Call call) {
    const Grid grid(m, n, k);
    parallel_for(0, grid.rows * grid.cols, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t p = first; p < last; ++p) {
            const std::int64_t i = p / grid.cols * grid.row_step, j = p % grid.cols * grid.col_step;
            call(std::min(grid.row_step, m - i), std::min(grid.col_step, n - j), at<T>(a, ta, lda, i, 0),
                 at<T>(b, tb, ldb, 0, j), static_cast<T*>(c) + i * ldc + j);
        }
    });
}

CBLAS_TRANSPOSE flag(bool t) { return t ? CblasTrans : CblasNoTrans; }

using math::wrapping;
template <class T, class A>
void plain(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const void* a,
           std::int64_t lda, const void* b, std::int64_t ldb, double beta, void* c, std::int64_t ldc) {
    parallel_for(0, m, std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(n * k, 1)),
                 [&](std::int64_t first, std::int64_t last) {
                     std::vector<A> row(static_cast<std::size_t>(n));
                     for (std::int64_t i = first; i < last; ++i) {
                         std::fill(row.begin(), row.end(), A(0));
                         for (std::int64_t l = 0; l < k; ++l) {
                             const A x = A(*at<T>(a, ta, lda, i, l));
                             for (std::int64_t j = 0; j < n; ++j)
                                 row[std::size_t(j)] = A(wrapping(row[std::size_t(j)]) +
                                                         wrapping(x) * wrapping(A(*at<T>(b, tb, ldb, l, j))));
                         }
                         T* out = static_cast<T*>(c) + i * ldc;
                         for (std::int64_t j = 0; j < n; ++j)
                             out[j] = beta == 0 ? T(wrapping(A(alpha)) * wrapping(row[std::size_t(j)]))
                                                : T(wrapping(A(alpha)) * wrapping(row[std::size_t(j)]) +
                                                    wrapping(A(beta)) * wrapping(A(out[j])));
                     }
                 });
}

/// The threads are Reel's; every OpenBLAS call is a serial one.
struct SerialBlas {
    SerialBlas() { openblas_set_num_threads(1); }
};

} // namespace

void gemm(ScalarType t, bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const void* a,
          std::int64_t lda, const void* b, std::int64_t ldb, double beta, void* c, std::int64_t ldc) {
    if (m == 0 || n == 0) return;
    static const SerialBlas serial;
    switch (t) {
    case kFloat:
        return tiled<float>(ta, tb, m, n, a, lda, b, ldb, c, ldc, k,
                            [&](std::int64_t rows, std::int64_t cols, const float* x, const float* y, float* z) {
                                cblas_sgemm(CblasRowMajor, flag(ta), flag(tb), blasint(rows), blasint(cols), blasint(k),
                                            float(alpha), x, blasint(lda), y, blasint(ldb), float(beta), z,
                                            blasint(ldc));
                            });
    case kDouble:
        return tiled<double>(ta, tb, m, n, a, lda, b, ldb, c, ldc, k,
                             [&](std::int64_t rows, std::int64_t cols, const double* x, const double* y, double* z) {
                                 cblas_dgemm(CblasRowMajor, flag(ta), flag(tb), blasint(rows), blasint(cols),
                                             blasint(k), alpha, x, blasint(lda), y, blasint(ldb), beta, z,
                                             blasint(ldc));
                             });
    case kComplexFloat: {
        const std::complex<float> al{float(alpha), 0}, be{float(beta), 0};
        return tiled<std::complex<float>>(ta, tb, m, n, a, lda, b, ldb, c, ldc, k,
                                          [&](std::int64_t rows, std::int64_t cols, auto* x, auto* y, auto* z) {
                                              cblas_cgemm(CblasRowMajor, flag(ta), flag(tb), blasint(rows),
                                                          blasint(cols), blasint(k), &al, x, blasint(lda), y,
                                                          blasint(ldb), &be, z, blasint(ldc));
                                          });
    }
    case kComplexDouble: {
        const std::complex<double> al{alpha, 0}, be{beta, 0};
        return tiled<std::complex<double>>(ta, tb, m, n, a, lda, b, ldb, c, ldc, k,
                                           [&](std::int64_t rows, std::int64_t cols, auto* x, auto* y, auto* z) {
                                               cblas_zgemm(CblasRowMajor, flag(ta), flag(tb), blasint(rows),
                                                           blasint(cols), blasint(k), &al, x, blasint(lda), y,
                                                           blasint(ldb), &be, z, blasint(ldc));
                                           });
    }
    case kHalf:
        return plain<Half, float>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kBFloat16:
        return plain<BFloat16, float>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kByte:
        return plain<std::uint8_t, std::uint8_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kChar:
        return plain<std::int8_t, std::int8_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kShort:
        return plain<std::int16_t, std::int16_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kInt:
        return plain<std::int32_t, std::int32_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kLong:
        return plain<std::int64_t, std::int64_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    default:
        REEL_THROW(NotImplementedError, "matrix product: there is no kernel for ", dtype_name(t));
    }
}

} // namespace reel::cpu
