// Matrix products by cuBLAS. The only file that sees it.
#include <complex>
#include <cublas_v2.h>
#include <memory>
#include <string>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/matmul.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/cuda/device.hpp>

#include "check.hpp"
#include "linalg/integer_mm.hpp"

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

/// The library thinks column-major, in which a row-major matrix is its transpose: so it is asked for out^T = b^T a^T.
void mm(const Tensor& out, const Tensor& first, const Tensor& second, double alpha, double beta) {
    if (isIntegralType(out.scalar_type(), true)) return integer_mm(out, first, second, alpha, beta);
    const StridedMatrix a(first), b(second);
    const DeviceIndex index = out.device().index();
    const DeviceGuard guard(index);
    const cublasHandle_t h = handle(index);
    const std::int64_t m = out.size(0), n = out.size(1), k = first.size(1), ldc = n > 1 ? n : 1;
    const auto call = [&](cudaDataType type, cublasComputeType_t compute, const auto& al, const auto& be) {
        check_blas(cublasGemmEx_64(h, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                                   a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &al, b.data.data_ptr(), type,
                                   b.ld, a.data.data_ptr(), type, a.ld, &be, out.data_ptr(), type, ldc, compute,
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
        detail::throw_no_kernel("mm", out, {true});
    }
}

/// One after the other, in the order of the stream.
void bmm(const Tensor& out, const Tensor& a, const Tensor& b) {
    const NoGradGuard guard;
    for (std::int64_t i = 0; i < out.size(0); ++i) mm(out.select(0, i), a.select(0, i), b.select(0, i), 1, 0);
}

[[maybe_unused]] const bool attached = [] {
    kernels::mm.set(kCUDA, &mm);
    kernels::bmm.set(kCUDA, &bmm);
    return true;
}();

} // namespace

} // namespace reel::cuda
