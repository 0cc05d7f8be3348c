// Stands in for cuBLAS: checks what the library checks, and computes on the host in double.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <map>
#include <vector>

#include <cblas.h>
#include <cublas_v2.h>

#include <reel/autograd/half.hpp>

#include "memory.hpp"
#include "runtime.hpp"

using namespace reel::cuda::emulation;

namespace {

struct Handle {
    int device;
    cudaStream_t stream = nullptr;
};
std::map<cublasHandle_t, Handle>& handles() {
    static auto& all = *new std::map<cublasHandle_t, Handle>();
    return all;
}
using Number = std::complex<double>;

/// A matrix of the device, column after column.
struct Matrix {
    void* data;
    cudaDataType type;
    std::int64_t rows, columns, ld;
};
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
std::vector<Number> gathered(const Matrix& m) {
    std::vector<Number> all(std::size_t(m.rows * m.columns));
    for (std::int64_t j = 0; j < m.columns; ++j)
        for (std::int64_t i = 0; i < m.rows; ++i) all[std::size_t(j * m.rows + i)] = get(m, j * m.ld + i);
    return all;
}
CBLAS_TRANSPOSE as_cblas(cublasOperation_t op) {
    return op == CUBLAS_OP_N ? CblasNoTrans : op == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}

void multiply(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t k, Number alpha, const Matrix& a,
              const Matrix& b, Number beta, const Matrix& c) {
    if (c.rows == 0 || c.columns == 0) return;
    // beta of zero does not read what is there
    std::vector<Number> out = beta == 0.0 ? std::vector<Number>(std::size_t(c.rows * c.columns)) : gathered(c);
    const auto x = gathered(a), y = gathered(b);
    if (k > 0)
        cblas_zgemm(CblasColMajor, as_cblas(op_a), as_cblas(op_b), blasint(c.rows), blasint(c.columns), blasint(k),
                    &alpha, x.data(), blasint(a.rows), y.data(), blasint(b.rows), &beta, out.data(), blasint(c.rows));
    else
        for (Number& v : out) v *= beta;
    for (std::int64_t j = 0; j < c.columns; ++j)
        for (std::int64_t i = 0; i < c.rows; ++i) put(c, j * c.ld + i, out[std::size_t(j * c.rows + i)]);
}

/// The scale's type follows from the compute type and from whether the matrices are complex.
Number scale(const void* p, cublasComputeType_t compute, bool complex) {
    if (compute == CUBLAS_COMPUTE_64F)
        return complex ? *static_cast<const Number*>(p) : Number(*static_cast<const double*>(p));
    return complex ? Number(*static_cast<const std::complex<float>*>(p)) : Number(*static_cast<const float*>(p));
}
bool fits(cublasComputeType_t compute, cudaDataType t) {
    const bool wide = t == CUDA_R_64F || t == CUDA_C_64F;
    return wide ? compute == CUBLAS_COMPUTE_64F
                : compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32;
}

} // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (this_call_fails()) return CUBLAS_STATUS_ALLOC_FAILED;
    const std::lock_guard guard(runtime_lock());
    *handle = reinterpret_cast<cublasHandle_t>(new char);
    handles()[*handle] = {current_device()};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    const std::lock_guard guard(runtime_lock());
    if (handles().erase(handle) == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete reinterpret_cast<char*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    if (this_call_fails()) return CUBLAS_STATUS_INTERNAL_ERROR;
    const std::lock_guard guard(runtime_lock());
    const auto h = handles().find(handle);
    if (h == handles().end()) return CUBLAS_STATUS_NOT_INITIALIZED;
    h->second.stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t status) {
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "the library was not initialized";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "the requested functionality is not supported";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "the resource allocation failed";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "the function failed to launch on the GPU";
    default:
        return "an internal operation failed";
    }
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
                               std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType a_type,
                               std::int64_t lda, const void* b, cudaDataType b_type, std::int64_t ldb, const void* beta,
                               void* c, cudaDataType c_type, std::int64_t ldc, cublasComputeType_t compute,
                               cublasGemmAlgo_t) {
    if (this_call_fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    const auto h = handles().find(handle);
    if (h == handles().end() || h->second.device != current_device()) return CUBLAS_STATUS_NOT_INITIALIZED;
    Stream* const s = stream_of(h->second.stream);
    const bool turned_a = op_a != CUBLAS_OP_N, turned_b = op_b != CUBLAS_OP_N;
    const Matrix left{const_cast<void*>(a), a_type, turned_a ? k : m, turned_a ? m : k, lda};
    const Matrix right{const_cast<void*>(b), b_type, turned_b ? n : k, turned_b ? k : n, ldb};
    const Matrix out{c, c_type, m, n, ldc};
    if (!s || m < 0 || n < 0 || k < 0) return CUBLAS_STATUS_INVALID_VALUE;
    for (const Matrix& x : {left, right, out})
        if (x.ld < std::max<std::int64_t>(1, x.rows)) return CUBLAS_STATUS_INVALID_VALUE;
    if (size_of(c_type) == 0 || a_type != c_type || b_type != c_type || !fits(compute, c_type))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    for (const Matrix& x : {left, right, out})
        if (!lies_on_device(x)) return CUBLAS_STATUS_INVALID_VALUE; // the library would run over it
    const Number al = scale(alpha, compute, is_complex(c_type)), be = scale(beta, compute, is_complex(c_type));
    enqueue(*s, [=, device = s->device] {
        const DeviceWork work(device, "a matrix product");
        multiply(op_a, op_b, k, al, left, right, be, out);
    });
    return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
