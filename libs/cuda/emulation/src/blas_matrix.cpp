#include "blas_matrix.hpp"

#include <bit>
#include <vector>

#include <cblas.h>

#include <reel/autograd/half.hpp>

#include "memory.hpp"

namespace reel::cuda::emulation {

std::size_t size_of(cudaDataType t) {
    switch (t) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
        return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
        return 8;
    case CUDA_C_64F:
        return 16;
    default:
        return 0;
    }
}
bool is_complex(cudaDataType t) { return t == CUDA_C_32F || t == CUDA_C_64F; }
bool lies_on_device(const Matrix& m) {
    if (m.rows == 0 || m.columns == 0) return true;
    if (!is_device_address(m.data)) return false;
    const Allocation* const a = allocation_at(m.data);
    const auto* const p = static_cast<const std::byte*>(m.data);
    const std::size_t last = std::size_t((m.columns - 1) * m.ld + m.rows) * size_of(m.type);
    return a && a->life != Life::freed && p >= a->begin && p + last <= a->begin + a->bytes;
}

Number get(const Matrix& m, std::int64_t i) {
    switch (m.type) {
    case CUDA_R_16F:
        return float(static_cast<const reel::Half*>(m.data)[i]);
    case CUDA_R_16BF:
        return float(static_cast<const reel::BFloat16*>(m.data)[i]);
    case CUDA_R_32F:
        return static_cast<const float*>(m.data)[i];
    case CUDA_R_64F:
        return static_cast<const double*>(m.data)[i];
    case CUDA_C_32F:
        return Number(static_cast<const std::complex<float>*>(m.data)[i]);
    default:
        return static_cast<const Number*>(m.data)[i];
    }
}
void put(const Matrix& m, std::int64_t i, Number v) {
    switch (m.type) {
    case CUDA_R_16F:
        static_cast<reel::Half*>(m.data)[i] = reel::Half(float(v.real()));
        break;
    case CUDA_R_16BF:
        static_cast<reel::BFloat16*>(m.data)[i] = reel::BFloat16(float(v.real()));
        break;
    case CUDA_R_32F:
        static_cast<float*>(m.data)[i] = float(v.real());
        break;
    case CUDA_R_64F:
        static_cast<double*>(m.data)[i] = v.real();
        break;
    case CUDA_C_32F:
        static_cast<std::complex<float>*>(m.data)[i] = std::complex<float>(v);
        break;
    default:
        static_cast<Number*>(m.data)[i] = v;
    }
}
namespace {

/// Ten bits of mantissa, to nearest.
double tf32(double x) {
    const auto bits = std::bit_cast<std::uint32_t>(float(x));
    if ((bits & 0x7f800000U) == 0x7f800000U) return x;
    return std::bit_cast<float>((bits + 0xfffU + ((bits >> 13) & 1U)) & ~0x1fffU);
}
std::vector<Number> gathered(const Matrix& m, bool rounds = false) {
    std::vector<Number> all(std::size_t(m.rows * m.columns));
    for (std::int64_t j = 0; j < m.columns; ++j)
        for (std::int64_t i = 0; i < m.rows; ++i) all[std::size_t(j * m.rows + i)] = get(m, j * m.ld + i);
    if (rounds)
        for (Number& v : all) v = Number(tf32(v.real()), tf32(v.imag()));
    return all;
}
CBLAS_TRANSPOSE as_cblas(cublasOperation_t op) {
    return op == CUBLAS_OP_N ? CblasNoTrans : op == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}

} // namespace

void multiply(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t k, Number alpha, const Matrix& a,
              const Matrix& b, Number beta, const Matrix& c, const Matrix* bias, bool rounds) {
    if (c.rows == 0 || c.columns == 0) return;
    // beta of zero does not read what is there
    std::vector<Number> out = beta == 0.0 ? std::vector<Number>(std::size_t(c.rows * c.columns)) : gathered(c);
    const auto x = gathered(a, rounds), y = gathered(b, rounds);
    if (k > 0)
        cblas_zgemm(CblasColMajor, as_cblas(op_a), as_cblas(op_b), blasint(c.rows), blasint(c.columns), blasint(k),
                    &alpha, x.data(), blasint(a.rows), y.data(), blasint(b.rows), &beta, out.data(), blasint(c.rows));
    else
        for (Number& v : out) v *= beta;
    for (std::int64_t j = 0; j < c.columns; ++j)
        for (std::int64_t i = 0; i < c.rows; ++i)
            put(c, j * c.ld + i, out[std::size_t(j * c.rows + i)] + (bias ? get(*bias, i) : Number(0)));
}

} // namespace reel::cuda::emulation
