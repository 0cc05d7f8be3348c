// Stands in for cuSOLVER's functions for one dense matrix of any type: what they are handed is checked, and the host's
// LAPACK computes in complex float64 when the stream comes to it.
#if __has_include(<cusolverDn.h>)

#include "solver_call.hpp"

using namespace reel::cuda::emulation;
using namespace reel::cuda::emulation::solver;

extern "C" {
void zpotrf_(const char*, const int*, Number*, const int*, int*, std::size_t);
void zgetrf_(const int*, const int*, Number*, const int*, int*, int*);
void zgetrs_(const char*, const int*, const int*, const Number*, const int*, const int*, Number*, const int*, int*,
             std::size_t);
void zgeqrf_(const int*, const int*, Number*, const int*, Number*, Number*, const int*, int*);
void zheev_(const char*, const char*, const int*, Number*, const int*, double*, Number*, const int*, double*, int*,
            std::size_t, std::size_t);
}

namespace {

/// Without exchanges; the first zero on the diagonal, from 1.
int eliminate(Numbers& a, int m, int n) {
    int info = 0;
    const auto at = [&](int r, int c) -> Number& { return a[std::size_t(c) * std::size_t(m) + std::size_t(r)]; };
    for (int j = 0; j < std::min(m, n); ++j) {
        if (at(j, j) == 0.0 && info == 0) info = j + 1;
        for (int r = j + 1; r < m; ++r) {
            at(r, j) /= at(j, j);
            for (int c = j + 1; c < n; ++c) at(r, c) -= at(r, j) * at(j, c);
        }
    }
    return info;
}

} // namespace

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
    if (this_call_fails()) return CUSOLVER_STATUS_ALLOC_FAILED;
    const std::lock_guard guard(runtime_lock());
    *handle = reinterpret_cast<cusolverDnHandle_t>(new char);
    handles()[*handle] = {current_device(), nullptr};
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
    const std::lock_guard guard(runtime_lock());
    if (handles().erase(handle) == 0) return CUSOLVER_STATUS_NOT_INITIALIZED;
    delete reinterpret_cast<char*>(handle);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
    if (this_call_fails()) return CUSOLVER_STATUS_INTERNAL_ERROR;
    const std::lock_guard guard(runtime_lock());
    const auto found = handles().find(handle);
    if (found == handles().end()) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!stream_of(stream)) return CUSOLVER_STATUS_INVALID_VALUE;
    found->second.stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
    if (this_call_fails()) return CUSOLVER_STATUS_ALLOC_FAILED;
    const std::lock_guard guard(runtime_lock());
    *params = reinterpret_cast<cusolverDnParams_t>(new char);
    all_params().insert(*params);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
    const std::lock_guard guard(runtime_lock());
    if (all_params().erase(params) == 0) return CUSOLVER_STATUS_NOT_INITIALIZED;
    delete reinterpret_cast<char*>(params);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t,
                                             std::int64_t n, cudaDataType type, const void*, std::int64_t ld,
                                             cudaDataType compute, std::size_t* there, std::size_t* here) {
    const std::lock_guard guard(runtime_lock());
    return sizes(Call(handle, params, type, compute), n, n, ld, there, here);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t triangle,
                                  std::int64_t n, cudaDataType type, void* a, std::int64_t ld, cudaDataType compute,
                                  void* there, std::size_t there_bytes, void* here, std::size_t here_bytes, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, params, type, compute);
    const Matrix m{a, type, n, n, ld};
    call.want(n > 0 && ld >= n && lies_on_device(m));
    call.want_room(there, there_bytes, here, here_bytes, n, n);
    return call.queue(there, n, n, info, [=] {
        Numbers all = gathered(m);
        const char which = triangle == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
        const int size = int(n);
        int failed = 0;
        zpotrf_(&which, &size, all.data(), &size, &failed, 1);
        scattered(m, all);
        return failed;
    });
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, std::int64_t m,
                                             std::int64_t n, cudaDataType type, const void*, std::int64_t ld,
                                             cudaDataType compute, std::size_t* there, std::size_t* here) {
    const std::lock_guard guard(runtime_lock());
    return sizes(Call(handle, params, type, compute), m, n, ld, there, here);
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, std::int64_t m, std::int64_t n,
                                  cudaDataType type, void* a, std::int64_t ld, std::int64_t* pivots,
                                  cudaDataType compute, void* there, std::size_t there_bytes, void* here,
                                  std::size_t here_bytes, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, params, type, compute);
    const Matrix matrix{a, type, m, n, ld};
    const std::int64_t k = std::min(m, n);
    call.want(m > 0 && n > 0 && ld >= m && lies_on_device(matrix));
    call.want(!pivots || holds(pivots, std::size_t(k) * sizeof(std::int64_t)));
    call.want_room(there, there_bytes, here, here_bytes, m, n);
    return call.queue(there, m, n, info, [=] {
        Numbers all = gathered(matrix);
        const int rows = int(m), columns = int(n);
        int failed = 0;
        if (pivots) {
            std::vector<int> exchanges(static_cast<std::size_t>(k));
            zgetrf_(&rows, &columns, all.data(), &rows, exchanges.data(), &failed);
            std::copy(exchanges.begin(), exchanges.end(), pivots);
        } else failed = eliminate(all, rows, columns);
        scattered(matrix, all);
        return failed;
    });
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t turned,
                                  std::int64_t n, std::int64_t columns, cudaDataType type, const void* a,
                                  std::int64_t ld, const std::int64_t* pivots, cudaDataType type_of_b, void* b,
                                  std::int64_t ld_of_b, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, params, type, type_of_b);
    const Matrix lu{const_cast<void*>(a), type, n, n, ld}, x{b, type, n, columns, ld_of_b};
    call.want(n > 0 && columns > 0 && ld >= n && ld_of_b >= n && turned == CUBLAS_OP_N && lies_on_device(lu) &&
              lies_on_device(x) && holds(pivots, std::size_t(n) * sizeof(std::int64_t)));
    return call.queue(nullptr, n, n, info, [=] {
        const Numbers factors = gathered(lu);
        Numbers all = gathered(x);
        const std::vector<int> exchanges(pivots, pivots + n);
        const int size = int(n), width = int(columns);
        int failed = 0;
        zgetrs_("N", &size, &width, factors.data(), &size, exchanges.data(), all.data(), &size, &failed, 1);
        scattered(x, all);
        return failed;
    });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, std::int64_t m,
                                             std::int64_t n, cudaDataType type, const void*, std::int64_t ld,
                                             cudaDataType, const void*, cudaDataType compute, std::size_t* there,
                                             std::size_t* here) {
    const std::lock_guard guard(runtime_lock());
    return sizes(Call(handle, params, type, compute), m, n, ld, there, here);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, std::int64_t m, std::int64_t n,
                                  cudaDataType type, void* a, std::int64_t ld, cudaDataType type_of_tau, void* tau,
                                  cudaDataType compute, void* there, std::size_t there_bytes, void* here,
                                  std::size_t here_bytes, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, params, type, compute);
    const Matrix matrix{a, type, m, n, ld}, factors = dense(tau, type, std::min(m, n), 1);
    call.want(m > 0 && n > 0 && ld >= m && type_of_tau == type && lies_on_device(matrix) && lies_on_device(factors));
    call.want_room(there, there_bytes, here, here_bytes, m, n);
    return call.queue(there, m, n, info, [=] {
        Numbers all = gathered(matrix), t(static_cast<std::size_t>(std::min(m, n))),
                work(static_cast<std::size_t>(32 * n));
        const int rows = int(m), columns = int(n), room = int(work.size());
        int failed = 0;
        zgeqrf_(&rows, &columns, all.data(), &rows, t.data(), work.data(), &room, &failed);
        scattered(matrix, all);
        scattered(factors, t);
        return failed;
    });
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t,
                                             cublasFillMode_t, std::int64_t n, cudaDataType type, const void*,
                                             std::int64_t ld, cudaDataType, const void*, cudaDataType compute,
                                             std::size_t* there, std::size_t* here) {
    const std::lock_guard guard(runtime_lock());
    return sizes(Call(handle, params, type, compute), n, n, ld, there, here);
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t mode,
                                  cublasFillMode_t triangle, std::int64_t n, cudaDataType type, void* a,
                                  std::int64_t ld, cudaDataType type_of_w, void* w, cudaDataType compute, void* there,
                                  std::size_t there_bytes, void* here, std::size_t here_bytes, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, params, type, compute);
    const Matrix matrix{a, type, n, n, ld}, values = dense(w, real_of(type), n, 1);
    call.want(n > 0 && ld >= n && type_of_w == real_of(type) && lies_on_device(matrix) && lies_on_device(values));
    call.want_room(there, there_bytes, here, here_bytes, n, n);
    return call.queue(there, n, n, info, [=] {
        Numbers all = gathered(matrix), work(static_cast<std::size_t>(4 * n + 32));
        std::vector<double> found(static_cast<std::size_t>(n)), further(static_cast<std::size_t>(3 * n + 2));
        const char job = mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N',
                   which = triangle == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
        const int size = int(n), room = int(work.size());
        int failed = 0;
        zheev_(&job, &which, &size, all.data(), &size, found.data(), work.data(), &room, further.data(), &failed, 1, 1);
        scattered(matrix, all); // without vectors, anything
        scattered(values, Numbers(found.begin(), found.end()));
        return failed;
    });
}

} // extern "C"

#endif
