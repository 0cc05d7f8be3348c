// Matrix products by cuBLAS. The only file that sees it.
#include <complex>
#include <cublas_v2.h>
#include <memory>
#include <string>

#include <reel/autograd/device_kernel.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/cuda/device.hpp>

#include "check.hpp"

namespace reel::cuda {

namespace {

void check_blas(cublasStatus_t status, const char* call) {
    REEL_CHECK(status == CUBLAS_STATUS_SUCCESS, "cuda: ", call, ": ", cublasGetStatusString(status));
}

/// A handle belongs to one thread and one device.
cublasHandle_t handle(DeviceIndex index) {
    struct Close {
        void operator()(cublasContext* h) const { cublasDestroy(h); }
    };
    static thread_local std::unique_ptr<cublasContext, Close> handles[64];
    auto& h = handles[std::size_t(index)];
    if (!h) {
        cublasHandle_t fresh = nullptr;
        check_blas(cublasCreate(&fresh), "cublasCreate");
        h.reset(fresh);
    }
    check_blas(cublasSetStream(h.get(), raw_stream(index)), "cublasSetStream");
    return h.get();
}

/// out = alpha op(a) op(b) + beta out, all row-major; `ta`: a is stored transposed. The library thinks column-major, in
/// which a row-major matrix is its transpose: so it is asked for out^T = op(b)^T op(a)^T.
void product(const Tensor& out, const void* a, bool ta, std::int64_t lda, const void* b, bool tb, std::int64_t ldb,
             std::int64_t k, double alpha, double beta) {
    const DeviceIndex index = out.device().index();
    const DeviceGuard guard(index);
    const cublasHandle_t h = handle(index);
    const std::int64_t m = out.size(0), n = out.size(1), ldc = n > 1 ? n : 1;
    const auto call = [&](cudaDataType type, cublasComputeType_t compute, const auto& al, const auto& be) {
        check_blas(cublasGemmEx_64(h, tb ? CUBLAS_OP_T : CUBLAS_OP_N, ta ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &al, b,
                                   type, ldb, a, type, lda, &be, out.data_ptr(), type, ldc, compute,
                                   CUBLAS_GEMM_DEFAULT),
                   "cublasGemmEx");
    };
    switch (out.scalar_type()) {
    case kFloat:
        return call(CUDA_R_32F, CUBLAS_COMPUTE_32F, float(alpha), float(beta));
    case kDouble:
        return call(CUDA_R_64F, CUBLAS_COMPUTE_64F, alpha, beta);
    case kHalf:
        return call(CUDA_R_16F, CUBLAS_COMPUTE_32F, float(alpha), float(beta));
    case kBFloat16:
        return call(CUDA_R_16BF, CUBLAS_COMPUTE_32F, float(alpha), float(beta));
    case kComplexFloat:
        return call(CUDA_C_32F, CUBLAS_COMPUTE_32F, std::complex<float>(float(alpha)),
                    std::complex<float>(float(beta)));
    case kComplexDouble:
        return call(CUDA_C_64F, CUBLAS_COMPUTE_64F, std::complex<double>(alpha), std::complex<double>(beta));
    default:
        REEL_THROW(NotImplementedError, "mm: there is no cuda kernel for ", dtype_name(out.scalar_type()),
                   "; convert to a floating dtype");
    }
}

[[maybe_unused]] const bool attached = [] {
    attach_kernel<void(const Tensor&, const void*, bool, std::int64_t, const void*, bool, std::int64_t, std::int64_t,
                       double, double)>("product", kCUDA, &product);
    return true;
}();

} // namespace

} // namespace reel::cuda
