// gemm over OpenBLAS and plain loops for what it does not know.
#include <cblas.h>

#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/gemm.hpp"

namespace reel::cpu {

namespace {

template <class T> const T* at(const void* p, bool trans, std::int64_t ld, std::int64_t row, std::int64_t col) {
    return static_cast<const T*>(p) + (trans ? col * ld + row : row * ld + col);
}

template <class T, class Call>
void tiled(bool ta, bool tb, std::int64_t m, std::int64_t n, const void* a, std::int64_t lda, const void* b,
           std::int64_t ldb, void* c, std::int64_t ldc, std::int64_t k, Call call) {
    // Products big enough to share are cut into at most eight tiles along the longer side, whatever the thread count.
    const double work = double(m) * double(n) * double(k);
    std::int64_t parts = work < 4e6 ? 1 : 8;
    const bool by_rows = m >= n;
    const std::int64_t extent = by_rows ? m : n;
    const std::int64_t step = std::max<std::int64_t>(((extent + parts - 1) / parts + 15) / 16 * 16, 16);
    parts = (extent + step - 1) / step;
    parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t p = first; p < last; ++p) {
            const std::int64_t i = p * step, size = std::min(step, extent - i);
            if (by_rows) call(size, n, at<T>(a, ta, lda, i, 0), static_cast<const T*>(b), static_cast<T*>(c) + i * ldc);
            else call(m, size, static_cast<const T*>(a), at<T>(b, tb, ldb, 0, i), static_cast<T*>(c) + i);
        }
    });
}

CBLAS_TRANSPOSE flag(bool t) { return t ? CblasTrans : CblasNoTrans; }

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
                                 row[std::size_t(j)] = A(row[std::size_t(j)] + x * A(*at<T>(b, tb, ldb, l, j)));
                         }
                         T* out = static_cast<T*>(c) + i * ldc;
                         for (std::int64_t j = 0; j < n; ++j)
                             out[j] = beta == 0 ? T(A(alpha) * row[std::size_t(j)])
                                                : T(A(alpha) * row[std::size_t(j)] + A(beta) * A(out[j]));
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
