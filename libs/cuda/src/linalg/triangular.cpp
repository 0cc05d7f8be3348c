#include "linalg/triangular.hpp"

#include <cublas_v2.h>

#include <memory>

#include <reel/autograd/error.hpp>
#include <reel/cuda/device.hpp>

#include "check.hpp"
#include "library.hpp"

namespace reel::cuda::blas {

namespace {

#define REEL_CUBLAS_FUNCTIONS(f)                                                                                       \
    f(cublasCreate_v2) f(cublasDestroy_v2) f(cublasSetStream_v2) f(cublasSetWorkspace_v2) f(cublasStrsm_v2)            \
        f(cublasDtrsm_v2) f(cublasCtrsm_v2) f(cublasZtrsm_v2)

REEL_FUNCTION_TABLE(Api, REEL_CUBLAS_FUNCTIONS);

const Api* api() {
    static const Found<Api> found = find_functions<Api>("REEL_CUBLAS_LIBRARY", str("libcublas.so.", CUBLAS_VER_MAJOR));
    return found.get();
}

void check(cublasStatus_t status, const char* op, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
        return;
    REEL_THROW(Error, op, ": cuBLAS: ", call, ": status ", int(status));
}

struct Destroy {
    void operator()(cublasContext* raw) const { api()->cublasDestroy_v2(raw); }
};
/// The calling thread's handle on the device, which must be current; it works on the thread's current stream.
cublasHandle_t handle(const char* op, DeviceIndex index) {
    static thread_local std::unique_ptr<cublasContext, Destroy> handles[64];
    auto& h = handles[std::size_t(index)];
    if (!h) {
        cublasHandle_t raw = nullptr;
        check(api()->cublasCreate_v2(&raw), op, "cublasCreate");
        h.reset(raw);
    }
    check(api()->cublasSetStream_v2(h.get(), raw_stream(index)), op, "cublasSetStream");
    return h.get();
}

/// The matrices of a batch, one after the other.
template <class T> struct Trsm {
    cublasStatus_t (*function)(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int, int, const T*, const T*, int, T*, int);
    const char* op;
    cublasHandle_t handle;
    cublasSideMode_t side;
    cublasFillMode_t triangle;
    cublasDiagType_t diagonal;

    void run(const Tensor& x, const Tensor& a, const T& one) const {
        const std::int64_t rows = x.size(-1), columns = x.size(-2), n = a.size(-1), count = a.numel() / (n * n);
        const T* const matrices = static_cast<const T*>(a.data_ptr());
        T* const sides = static_cast<T*>(x.data_ptr());
        for (std::int64_t i = 0; i < count; ++i)
            check(function(handle, side, triangle, CUBLAS_OP_N, diagonal, int(rows), int(columns), &one,
                           matrices + i * n * n, int(n), sides + i * rows * columns, int(rows)),
                  op, "cublas*trsm");
    }
};

} // namespace

bool is_available() { return api() != nullptr; }

void trsm(const char* op, const Tensor& x, const Tensor& a, bool upper, bool left, bool unit) {
    constexpr std::int64_t room_bytes = 4 << 20;
    const DeviceIndex index = a.device().index();
    const DeviceGuard guard(index);
    const cublasHandle_t h = handle(op, index);
    // in the order of the stream; a captured graph keeps it
    const Tensor room = a.new_empty({room_bytes}, kByte);
    check(api()->cublasSetWorkspace_v2(h, room.data_ptr(), std::size_t(room_bytes)), op, "cublasSetWorkspace");
    const auto run = [&]<class T>(auto function, const T& one) {
        Trsm<T>{function,
                op,
                h,
                left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
                upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER,
                unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT}
            .run(x, a, one);
    };
    switch (a.scalar_type()) {
    case kFloat:
        return run(api()->cublasStrsm_v2, 1.f);
    case kDouble:
        return run(api()->cublasDtrsm_v2, 1.);
    case kComplexFloat:
        return run(api()->cublasCtrsm_v2, cuComplex{1, 0});
    default:
        return run(api()->cublasZtrsm_v2, cuDoubleComplex{1, 0});
    }
}

} // namespace reel::cuda::blas
