// Matrix products, row-major. blas.cpp is the only file that sees OpenBLAS.
#pragma once

#include <cstdint>

#include <reel/autograd/dtype.hpp>

namespace reel::cpu {

/// C = alpha op(A) op(B) + beta C with op transposing on request. float32/64, complex64/128 through OpenBLAS; 16-bit
/// floats accumulate in float32; integers in their own type. Tiles are cut by shape alone, so bits do not depend on
/// threads.
void gemm(ScalarType t, bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const void* a, std::int64_t lda, const void* b, std::int64_t ldb, double beta, void* c, std::int64_t ldc);

} // namespace reel::cpu
