// gemm over OpenBLAS and plain loops for what it does not know.
#include <cblas.h>

#include <reel/autograd/error.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/linalg/bfloat16_product.hpp"
#include "cpu/linalg/blocked_product.hpp"
#include "cpu/linalg/few_rows.hpp"
#include "cpu/linalg/gemm.hpp"
#include "cpu/linalg/integer_product.hpp"
#include "cpu/linalg/serial_blas.hpp"
#include "cpu/linalg/vector_product.hpp"
#include "cpu/scratch.hpp"
#include "cpu/shape/convert.hpp"

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
        const SerialBlas serial;
        for (std::int64_t p = first; p < last; ++p) {
            const std::int64_t i = p / grid.cols * grid.row_step, j = p % grid.cols * grid.col_step;
            call(std::min(grid.row_step, m - i), std::min(grid.col_step, n - j), at<T>(a, ta, lda, i, 0),
                 at<T>(b, tb, ldb, 0, j), static_cast<T*>(c) + i * ldc + j);
        }
    });
}

/// Products that the library is not called for: an extent is one, or blocks of our own are faster.
template <class T>
bool without_library(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const void* a,
                     std::int64_t lda, const void* b, std::int64_t ldb, double beta, void* c, std::int64_t ldc) {
    if (m != 1 && n != 1 && k != 1) {
        if constexpr (std::is_floating_point_v<T>) {
            const T *const x = static_cast<const T*>(a), *const y = static_cast<const T*>(b);
            T* const z = static_cast<T*>(c);
            return k > 0 && alpha == 1 && (beta == 0 || beta == 1) &&
                   (few_rows_product<T>({ta, tb, m, n, k, 1, x, lda, y, ldb, T(beta), z, ldc}) ||
                    blocked_product(ta, tb, m, n, k, x, lda, y, ldb, beta == 1, z, ldc));
        }
        return false;
    }
    return vector_product<T>({ta, tb, m, n, k, T(alpha), static_cast<const T*>(a), lda, static_cast<const T*>(b), ldb,
                              T(beta), static_cast<T*>(c), ldc});
}

CBLAS_TRANSPOSE flag(bool t) { return t ? CblasTrans : CblasNoTrans; }

using math::wrapping;
template <class T>
void integers(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const void* a,
              std::int64_t lda, const void* b, std::int64_t ldb, double beta, void* c, std::int64_t ldc) {
    const Scratch turned(tb ? std::size_t(n * k) * sizeof(T) : 0);
    const T* right = static_cast<const T*>(b);
    if (tb) {
        for (std::int64_t l = 0; l < k; ++l)
            for (std::int64_t j = 0; j < n; ++j) turned.as<T>()[l * n + j] = right[j * ldb + l];
        right = turned.as<T>();
        ldb = n;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(n * k, 1));
    parallel_for(0, m, grain, [&](std::int64_t first, std::int64_t last) {
        constexpr std::int64_t together = 4;
        using U = std::make_unsigned_t<T>; // sums that wrap are the same with a sign and without
        const Scratch results(std::size_t(together * n) * sizeof(T));
        const T* const sums = results.as<T>();
        for (std::int64_t i = first; i < last; i += together) {
            const std::int64_t rows = std::min(together, last - i);
            integer_rows<U>(results.as<U>(), n, rows, at<U>(a, ta, lda, i, 0), ta ? 1 : lda, ta ? lda : 1,
                            reinterpret_cast<const U*>(right), ldb, k, n);
            for (std::int64_t r = 0; r < rows; ++r) {
                T* const out = static_cast<T*>(c) + (i + r) * ldc;
                const T* const row = sums + r * n;
                for (std::int64_t j = 0; j < n; ++j)
                    out[j] = beta == 0
                                 ? T(wrapping(T(alpha)) * wrapping(row[j]))
                                 : T(wrapping(T(alpha)) * wrapping(row[j]) + wrapping(T(beta)) * wrapping(out[j]));
            }
        }
    });
}

/// Rows of 16-bit floats as float32, dense.
void widen(ScalarType t, const void* from, std::int64_t ld, std::int64_t rows, std::int64_t cols, float* to) {
    const ConvertFn convert = convert_kernel(kFloat, t);
    parallel_for(0, rows, std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(cols, 1)),
                 [&](std::int64_t first, std::int64_t last) {
                     for (std::int64_t i = first; i < last; ++i)
                         convert(to + i * cols, static_cast<const char*>(from) + 2 * i * ld, cols);
                 });
}

/// Products of 16-bit floats in float32, some rows of the result at a time; each result is rounded once.
template <class T>
void narrow(ScalarType t, bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const void* a,
            std::int64_t lda, const void* b, std::int64_t ldb, double beta, void* c, std::int64_t ldc) {
    constexpr std::int64_t strip = 512;
    const std::int64_t most = std::min(m, strip);
    const auto floats = [](std::int64_t count) { return std::size_t(count) * sizeof(float); };
    const Scratch right(floats(n * k)), left(floats(most * k)), result(floats(most * n));
    widen(t, b, ldb, tb ? n : k, tb ? k : n, right.as<float>());
    const ConvertFn round = convert_kernel(t, kFloat), wide = convert_kernel(kFloat, t);
    for (std::int64_t i = 0; i < m; i += strip) {
        const std::int64_t rows = std::min(strip, m - i);
        widen(t, at<T>(a, ta, lda, i, 0), lda, ta ? k : rows, ta ? rows : k, left.as<float>());
        gemm(kFloat, ta, tb, rows, n, k, alpha, left.as<float>(), std::max<std::int64_t>(1, ta ? rows : k),
             right.as<float>(), std::max<std::int64_t>(1, tb ? k : n), 0, result.as<float>(), n);
        parallel_for(0, rows, std::max<std::int64_t>(1, 65536 / n), [&](std::int64_t first, std::int64_t last) {
            const Scratch old(beta == 0 ? 0 : floats(n));
            for (std::int64_t r = first; r < last; ++r) {
                T* const out = static_cast<T*>(c) + (i + r) * ldc;
                float* const row = result.as<float>() + r * n;
                if (beta != 0) {
                    wide(old.as<float>(), out, n);
                    for (std::int64_t j = 0; j < n; ++j) row[j] += float(beta) * old.as<float>()[j];
                }
                round(out, row, n);
            }
        });
    }
}

} // namespace

void gemm(ScalarType t, bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const void* a,
          std::int64_t lda, const void* b, std::int64_t ldb, double beta, void* c, std::int64_t ldc) {
    if (m == 0 || n == 0) return;
    switch (t) {
    case kFloat:
        if (without_library<float>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
        return tiled<float>(ta, tb, m, n, a, lda, b, ldb, c, ldc, k,
                            [&](std::int64_t rows, std::int64_t cols, const float* x, const float* y, float* z) {
                                cblas_sgemm(CblasRowMajor, flag(ta), flag(tb), blasint(rows), blasint(cols), blasint(k),
                                            float(alpha), x, blasint(lda), y, blasint(ldb), float(beta), z,
                                            blasint(ldc));
                            });
    case kDouble:
        if (without_library<double>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
        return tiled<double>(ta, tb, m, n, a, lda, b, ldb, c, ldc, k,
                             [&](std::int64_t rows, std::int64_t cols, const double* x, const double* y, double* z) {
                                 cblas_dgemm(CblasRowMajor, flag(ta), flag(tb), blasint(rows), blasint(cols),
                                             blasint(k), alpha, x, blasint(lda), y, blasint(ldb), beta, z,
                                             blasint(ldc));
                             });
    case kComplexFloat: {
        if (without_library<std::complex<float>>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
        const std::complex<float> al{float(alpha), 0}, be{float(beta), 0};
        return tiled<std::complex<float>>(ta, tb, m, n, a, lda, b, ldb, c, ldc, k,
                                          [&](std::int64_t rows, std::int64_t cols, auto* x, auto* y, auto* z) {
                                              cblas_cgemm(CblasRowMajor, flag(ta), flag(tb), blasint(rows),
                                                          blasint(cols), blasint(k), &al, x, blasint(lda), y,
                                                          blasint(ldb), &be, z, blasint(ldc));
                                          });
    }
    case kComplexDouble: {
        if (without_library<std::complex<double>>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
        const std::complex<double> al{alpha, 0}, be{beta, 0};
        return tiled<std::complex<double>>(ta, tb, m, n, a, lda, b, ldb, c, ldc, k,
                                           [&](std::int64_t rows, std::int64_t cols, auto* x, auto* y, auto* z) {
                                               cblas_zgemm(CblasRowMajor, flag(ta), flag(tb), blasint(rows),
                                                           blasint(cols), blasint(k), &al, x, blasint(lda), y,
                                                           blasint(ldb), &be, z, blasint(ldc));
                                           });
    }
    case kHalf:
        return narrow<Half>(t, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kBFloat16:
        if (multiply_bfloat16(ta, tb, m, n, k, float(alpha), static_cast<const BFloat16*>(a), lda,
                              static_cast<const BFloat16*>(b), ldb, float(beta), static_cast<BFloat16*>(c), ldc))
            return;
        return narrow<BFloat16>(t, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kByte:
        return integers<std::uint8_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kChar:
        return integers<std::int8_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kShort:
        return integers<std::int16_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kInt:
        return integers<std::int32_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    case kLong:
        return integers<std::int64_t>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    default:
        REEL_THROW(NotImplementedError, "matrix product: there is no kernel for ", dtype_name(t));
    }
}

} // namespace reel::cpu
