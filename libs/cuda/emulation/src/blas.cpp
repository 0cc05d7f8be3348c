// Stands in for cuBLAS's triangular solves: what they are handed is checked, and substitution in complex float64 runs
// when the stream comes to it.
#include <cublas_v2.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "blas_matrix.hpp"
#include "memory.hpp"
#include "runtime.hpp"

using namespace reel::cuda::emulation;

namespace {

struct Handle {
    int device;
    cudaStream_t stream;
    void* room;
    std::size_t bytes;
};
std::map<cublasHandle_t, Handle>& handles() {
    static auto& all = *new std::map<cublasHandle_t, Handle>();
    return all;
}
bool holds(void* p, std::size_t bytes) {
    return lies_on_device({p, CUDA_R_16F, std::int64_t(bytes / 2), 1, std::int64_t(bytes / 2)});
}

struct Triangle {
    Matrix a;
    bool upper, unit;
    Number at(std::int64_t r, std::int64_t c) const {
        if (r == c && unit) return 1;
        return (upper ? r <= c : r >= c) ? get(a, c * a.ld + r) : Number(0);
    }
};
/// t x = b in place, for the elements of b in places `first`, `first + step`, ...; `turned`: x t = b.
void substitute(const Triangle& t, const Matrix& b, std::int64_t first, std::int64_t step, bool turned) {
    const std::int64_t n = t.a.rows;
    const bool down = t.upper == turned; // the first unknown stands alone
    for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t i = down ? k : n - 1 - k;
        Number sum = get(b, first + i * step);
        for (std::int64_t before = 0; before < k; ++before) {
            const std::int64_t j = down ? before : n - 1 - before;
            sum -= (turned ? t.at(j, i) : t.at(i, j)) * get(b, first + j * step);
        }
        put(b, first + i * step, sum / t.at(i, i));
    }
}

bool is_one(float v) { return v == 1; }
bool is_one(double v) { return v == 1; }
bool is_one(cuComplex v) { return v.x == 1 && v.y == 0; }
bool is_one(cuDoubleComplex v) { return v.x == 1 && v.y == 0; }

template <class T>
cublasStatus_t trsm(cudaDataType type, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,
                    cublasOperation_t turned, cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a,
                    int ld, T* b, int ld_of_b) {
    if (this_call_fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    const auto found = handles().find(handle);
    if (found == handles().end() || found->second.device != current_device()) return CUBLAS_STATUS_NOT_INITIALIZED;
    const bool left = side == CUBLAS_SIDE_LEFT;
    const std::int64_t size = left ? m : n;
    const Triangle t{
        {const_cast<T*>(a), type, size, size, ld}, triangle == CUBLAS_FILL_MODE_UPPER, diagonal == CUBLAS_DIAG_UNIT};
    const Matrix x{b, type, m, n, ld_of_b};
    Stream* const stream = stream_of(found->second.stream);
    if (!stream || m <= 0 || n <= 0 || ld < size || ld_of_b < m || turned != CUBLAS_OP_N || !is_one(*alpha) ||
        !lies_on_device(t.a) || !lies_on_device(x) ||
        (found->second.room && !holds(found->second.room, found->second.bytes)))
        return CUBLAS_STATUS_INVALID_VALUE;
    enqueue(*stream, [=, device = stream->device, room = found->second] {
        const DeviceWork running(device, "a function of cuBLAS");
        if (room.room) std::memset(room.room, 0xa5, std::min<std::size_t>(room.bytes, 64));
        for (std::int64_t i = 0; i < (left ? x.columns : x.rows); ++i)
            left ? substitute(t, x, i * x.ld, 1, false) : substitute(t, x, i, x.ld, true);
    });
    return CUBLAS_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (this_call_fails()) return CUBLAS_STATUS_ALLOC_FAILED;
    const std::lock_guard guard(runtime_lock());
    *handle = reinterpret_cast<cublasHandle_t>(new char);
    handles()[*handle] = {current_device(), nullptr, nullptr, 0};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    const std::lock_guard guard(runtime_lock());
    if (handles().erase(handle) == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete reinterpret_cast<char*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}
/// As the real one, it takes the workspace away.
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    if (this_call_fails()) return CUBLAS_STATUS_MAPPING_ERROR;
    const std::lock_guard guard(runtime_lock());
    const auto found = handles().find(handle);
    if (found == handles().end()) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!stream_of(stream)) return CUBLAS_STATUS_INVALID_VALUE;
    found->second = {found->second.device, stream, nullptr, 0};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* room, std::size_t bytes) {
    if (this_call_fails()) return CUBLAS_STATUS_INVALID_VALUE;
    const std::lock_guard guard(runtime_lock());
    const auto found = handles().find(handle);
    if (found == handles().end()) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (reinterpret_cast<std::uintptr_t>(room) % 256 != 0 || !holds(room, bytes)) return CUBLAS_STATUS_INVALID_VALUE;
    found->second.room = room;
    found->second.bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

#define REEL_TRSM(letter, T, type)                                                                                     \
    cublasStatus_t cublas##letter##trsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,    \
                                           cublasOperation_t turned, cublasDiagType_t diagonal, int m, int n,          \
                                           const T* alpha, const T* a, int ld, T* b, int ld_of_b) {                    \
        return trsm(type, handle, side, triangle, turned, diagonal, m, n, alpha, a, ld, b, ld_of_b);                   \
    }
REEL_TRSM(S, float, CUDA_R_32F)
REEL_TRSM(D, double, CUDA_R_64F)
REEL_TRSM(C, cuComplex, CUDA_C_32F)
REEL_TRSM(Z, cuDoubleComplex, CUDA_C_64F)
#undef REEL_TRSM

} // extern "C"
