#include "linalg/solver_call.hpp"

#if __has_include(<cusolverDn.h>)

#include <reel/autograd/error.hpp>

#include "check.hpp"

namespace reel::cuda::solver {

const Api* api() {
    static const Found<Api> found =
        find_functions<Api>("REEL_CUSOLVER_LIBRARY", str("libcusolver.so.", CUSOLVER_VER_MAJOR));
    return found.get();
}

namespace {
const char* text_of(cusolverStatus_t status) {
    switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
        return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
        return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
        return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
        return "CUSOLVER_STATUS_EXECUTION_FAILED";
    default:
        return "CUSOLVER_STATUS_INTERNAL_ERROR";
    }
}
} // namespace

void check(cusolverStatus_t status, const char* op, const char* call) {
    if (status == CUSOLVER_STATUS_SUCCESS) [[likely]]
        return;
    REEL_THROW(Error, op, ": cuSOLVER: ", call, ": ", text_of(status), " (", int(status), ")");
}

const Handle& handle(const char* op, DeviceIndex index) {
    static thread_local Handle handles[64];
    Handle& h = handles[std::size_t(index)];
    if (!h.raw) {
        cusolverDnHandle_t raw = nullptr;
        check(api()->cusolverDnCreate(&raw), op, "cusolverDnCreate");
        h.raw.reset(raw);
    }
    if (!h.params) {
        cusolverDnParams_t params = nullptr;
        check(api()->cusolverDnCreateParams(&params), op, "cusolverDnCreateParams");
        h.params.reset(params);
    }
    check(api()->cusolverDnSetStream(h.raw.get(), raw_stream(index)), op, "cusolverDnSetStream");
    return h;
}

cudaDataType type_of(ScalarType t) {
    switch (t) {
    case kFloat:
        return CUDA_R_32F;
    case kDouble:
        return CUDA_R_64F;
    case kComplexFloat:
        return CUDA_C_32F;
    default:
        return CUDA_C_64F;
    }
}

void* nth(const Tensor& t, std::int64_t i, std::int64_t count) {
    return static_cast<std::byte*>(t.data_ptr()) + std::size_t(i * count) * elementSize(t.scalar_type());
}
int* nth_info(const Tensor& info, std::int64_t i) { return static_cast<int*>(nth(info, i, 1)); }
void Room::take(const Tensor& where) {
    there = where.new_empty({std::int64_t(there_bytes)}, kByte);
    here.resize(here_bytes);
}
Tensor integers(const Tensor& where, std::int64_t count) { return where.new_empty({count}, kInt); }

} // namespace reel::cuda::solver

#endif
