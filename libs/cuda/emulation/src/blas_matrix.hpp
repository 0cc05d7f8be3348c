// Matrices of the device, for the stand-ins of libraries that compute with them on the host.
#pragma once

#include <complex>
#include <cstdint>

#include <cublas_api.h>

namespace reel::cuda::emulation {

using Number = std::complex<double>;

/// A matrix of the device, column after column.
struct Matrix {
    void* data;
    cudaDataType type;
    std::int64_t rows, columns, ld;
};
/// Zero for types that no product is computed in.
std::size_t size_of(cudaDataType t);
bool is_complex(cudaDataType t);
/// Does it lie within live memory of the device, whole?
bool lies_on_device(const Matrix& m);
Number get(const Matrix& m, std::int64_t place);
void put(const Matrix& m, std::int64_t place, Number v);
/// c = alpha op(a) op(b) + beta c (+ a bias for each row of c, or null). `rounds`: operands to TF32 before.
void multiply(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t k, Number alpha, const Matrix& a,
              const Matrix& b, Number beta, const Matrix& c, const Matrix* bias, bool rounds);

} // namespace reel::cuda::emulation
