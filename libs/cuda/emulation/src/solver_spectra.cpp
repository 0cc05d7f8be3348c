// Stands in for cuSOLVER's singular values, eigenvalues and symmetric factors.
#if __has_include(<cusolverDn.h>)

#include "solver_call.hpp"

using namespace reel::cuda::emulation;
using namespace reel::cuda::emulation::solver;

extern "C" {
void zgesvd_(const char*, const char*, const int*, const int*, Number*, const int*, double*, Number*, const int*,
             Number*, const int*, Number*, const int*, double*, int*, std::size_t, std::size_t);
void zgeev_(const char*, const char*, const int*, Number*, const int*, Number*, Number*, const int*, Number*,
            const int*, Number*, const int*, double*, int*, std::size_t, std::size_t);
void dgeev_(const char*, const char*, const int*, double*, const int*, double*, double*, double*, const int*, double*,
            const int*, double*, const int*, int*, std::size_t, std::size_t);
void zsytrf_(const char*, const int*, Number*, const int*, int*, Number*, const int*, int*, std::size_t);
void zsytrs_(const char*, const int*, const int*, const Number*, const int*, const int*, Number*, const int*, int*,
             std::size_t);
}

namespace {

using Reals = std::vector<double>;
Numbers numbers(std::int64_t count) { return Numbers(static_cast<std::size_t>(count)); }
Numbers complex_of(const Reals& real) { return Numbers(real.begin(), real.end()); }

int of_complex(const Matrix& matrix, const Matrix& values, const Matrix& vectors, bool wanted) {
    const int n = int(matrix.rows), room = 4 * n;
    Numbers all = gathered(matrix), found = numbers(n), right = numbers(std::int64_t(n) * n), none(1),
            work = numbers(room);
    Reals further(static_cast<std::size_t>(2 * n));
    int failed = 0;
    zgeev_("N", wanted ? "V" : "N", &n, all.data(), &n, found.data(), none.data(), &n, right.data(), &n, work.data(),
           &room, further.data(), &failed, 1, 1);
    scattered(values, found);
    if (wanted) scattered(vectors, right);
    return failed;
}
/// Vectors of a pair are its real part and its imaginary part.
int of_real(const Matrix& matrix, const Matrix& values, const Matrix& vectors, bool wanted) {
    const int n = int(matrix.rows), room = 8 * n;
    const Numbers given = gathered(matrix);
    Reals all(given.size()), real(static_cast<std::size_t>(n)), imaginary(real.size()), right(given.size()), none(1),
        work(static_cast<std::size_t>(room));
    std::transform(given.begin(), given.end(), all.begin(), [](Number v) { return v.real(); });
    int failed = 0;
    dgeev_("N", wanted ? "V" : "N", &n, all.data(), &n, real.data(), imaginary.data(), none.data(), &n, right.data(),
           &n, work.data(), &room, &failed, 1, 1);
    Numbers found = numbers(n);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = {real[i], imaginary[i]};
    scattered(values, found);
    if (wanted) scattered(vectors, complex_of(right));
    return failed;
}
cudaDataType complex_type(cudaDataType t) { return real_of(t) == CUDA_R_32F ? CUDA_C_32F : CUDA_C_64F; }

template <class T>
cusolverStatus_t sytrf(cusolverDnHandle_t handle, cudaDataType type, cublasFillMode_t triangle, int n, T* a, int ld,
                       int* pivots, T* work, int count, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, type);
    const Matrix matrix{a, type, n, n, ld};
    call.want(n > 0 && ld >= n && triangle == CUBLAS_FILL_MODE_LOWER && lies_on_device(matrix) &&
              holds(pivots, std::size_t(n) * sizeof(int)) && count >= n && holds(work, std::size_t(n) * sizeof(T)));
    return call.queue(nullptr, n, n, info, [=] {
        std::memset(static_cast<void*>(work), 0xa5, std::size_t(n) * sizeof(T));
        Numbers all = gathered(matrix), room = numbers(64 * n);
        const int size = int(room.size());
        int failed = 0;
        zsytrf_("L", &n, all.data(), &n, pivots, room.data(), &size, &failed, 1);
        scattered(matrix, all);
        return failed;
    });
}
cusolverStatus_t sytrf_size(cusolverDnHandle_t handle, cudaDataType type, int n, const void* a, int ld, int* count) {
    const std::lock_guard guard(runtime_lock());
    Call call(handle, type);
    call.want(n > 0 && ld >= n && lies_on_device({const_cast<void*>(a), type, n, n, ld}));
    if (call.status == CUSOLVER_STATUS_SUCCESS) *count = n;
    return call.status;
}

} // namespace

extern "C" {

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char,
                                             signed char, std::int64_t m, std::int64_t n, cudaDataType type,
                                             const void*, std::int64_t ld, cudaDataType, const void*, cudaDataType,
                                             const void*, std::int64_t, cudaDataType, const void*, std::int64_t,
                                             cudaDataType compute, std::size_t* there, std::size_t* here) {
    const std::lock_guard guard(runtime_lock());
    Call call(handle, params, type, compute);
    call.want(m >= n); // as the real one wants it
    return sizes(call, m, n, ld, there, here);
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char left,
                                  signed char right, std::int64_t m, std::int64_t n, cudaDataType type, void* a,
                                  std::int64_t ld, cudaDataType type_of_s, void* s, cudaDataType type_of_u, void* u,
                                  std::int64_t ld_of_u, cudaDataType type_of_v, void* v, std::int64_t ld_of_v,
                                  cudaDataType compute, void* there, std::size_t there_bytes, void* here,
                                  std::size_t here_bytes, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, params, type, compute);
    const Matrix matrix{a, type, m, n, ld}, values = dense(s, type_of_s, n, 1),
                                            of_u{u, type, m, left == 'A' ? m : n, ld_of_u},
                                            of_v{v, type, n, n, ld_of_v};
    const bool vectors = left != 'N';
    call.want(m >= n && n > 0 && ld >= m && left == right && (left == 'N' || left == 'S' || left == 'A') &&
              type_of_s == real_of(type) && lies_on_device(matrix) && lies_on_device(values));
    call.want(!vectors || (type_of_u == type && type_of_v == type && ld_of_u >= m && ld_of_v >= n &&
                           lies_on_device(of_u) && lies_on_device(of_v)));
    call.want_room(there, there_bytes, here, here_bytes, m, n);
    return call.queue(there, m, n, info, [=] {
        const int rows = int(m), columns = int(n), room = int(8 * m);
        Numbers all = gathered(matrix), own_u = numbers(m * m), own_v = numbers(n * n), work = numbers(room);
        Reals found(static_cast<std::size_t>(n)), further(static_cast<std::size_t>(5 * n));
        const char job = char(left);
        int failed = 0;
        zgesvd_(&job, &job, &rows, &columns, all.data(), &rows, found.data(), own_u.data(), &rows, own_v.data(),
                &columns, work.data(), &room, further.data(), &failed, 1, 1);
        scattered(values, complex_of(found));
        if (vectors) scattered(of_u, own_u), scattered(of_v, own_v);
        return failed;
    });
}

cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t,
                                            cusolverEigMode_t, std::int64_t n, cudaDataType type, const void*,
                                            std::int64_t ld, cudaDataType, const void*, cudaDataType, const void*,
                                            std::int64_t, cudaDataType, const void*, std::int64_t, cudaDataType compute,
                                            std::size_t* there, std::size_t* here) {
    const std::lock_guard guard(runtime_lock());
    return sizes(Call(handle, params, type, compute), n, n, ld, there, here);
}
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t left,
                                 cusolverEigMode_t right, std::int64_t n, cudaDataType type, void* a, std::int64_t ld,
                                 cudaDataType type_of_w, void* w, cudaDataType, void*, std::int64_t,
                                 cudaDataType type_of_v, void* v, std::int64_t ld_of_v, cudaDataType compute,
                                 void* there, std::size_t there_bytes, void* here, std::size_t here_bytes, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, params, type, compute);
    const Matrix matrix{a, type, n, n, ld}, values = dense(w, type_of_w, n, 1), vectors{v, type, n, n, ld_of_v};
    const bool wanted = right == CUSOLVER_EIG_MODE_VECTOR;
    call.want(left == CUSOLVER_EIG_MODE_NOVECTOR); // the real one has no others
    call.want(n > 0 && ld >= n && type_of_w == complex_type(type) && lies_on_device(matrix) && lies_on_device(values));
    call.want(!wanted || (type_of_v == type && ld_of_v >= n && lies_on_device(vectors)));
    call.want_room(there, there_bytes, here, here_bytes, n, n);
    return call.queue(there, n, n, info, [=] {
        return is_complex(type) ? of_complex(matrix, values, vectors, wanted)
                                : of_real(matrix, values, vectors, wanted);
    });
}

#define REEL_SYTRF(letter, T, type)                                                                                    \
    cusolverStatus_t cusolverDn##letter##sytrf_bufferSize(cusolverDnHandle_t handle, int n, T* a, int ld,              \
                                                          int* count) {                                                \
        return sytrf_size(handle, type, n, a, ld, count);                                                              \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##letter##sytrf(cusolverDnHandle_t handle, cublasFillMode_t triangle, int n, T* a,      \
                                               int ld, int* pivots, T* work, int count, int* info) {                   \
        return sytrf(handle, type, triangle, n, a, ld, pivots, work, count, info);                                     \
    }
REEL_SYTRF(S, float, CUDA_R_32F)
REEL_SYTRF(D, double, CUDA_R_64F)
REEL_SYTRF(C, cuComplex, CUDA_C_32F)
REEL_SYTRF(Z, cuDoubleComplex, CUDA_C_64F)
#undef REEL_SYTRF

cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, std::int64_t n, std::int64_t,
                                             cudaDataType type, const void*, std::int64_t ld, const std::int64_t*,
                                             cudaDataType, void*, std::int64_t, std::size_t* there, std::size_t* here) {
    const std::lock_guard guard(runtime_lock());
    return sizes(Call(handle, type), n, n, ld, there, here);
}
cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t handle, cublasFillMode_t triangle, std::int64_t n,
                                  std::int64_t columns, cudaDataType type, const void* a, std::int64_t ld,
                                  const std::int64_t* pivots, cudaDataType type_of_b, void* b, std::int64_t ld_of_b,
                                  void* there, std::size_t there_bytes, void* here, std::size_t here_bytes, int* info) {
    if (this_call_fails()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    Call call(handle, type);
    const Matrix factors{const_cast<void*>(a), type, n, n, ld}, x{b, type, n, columns, ld_of_b};
    call.want(n > 0 && columns > 0 && ld >= n && ld_of_b >= n && type_of_b == type &&
              triangle == CUBLAS_FILL_MODE_LOWER && lies_on_device(factors) && lies_on_device(x) &&
              holds(pivots, std::size_t(n) * sizeof(std::int64_t)));
    call.want_room(there, there_bytes, here, here_bytes, n, n);
    return call.queue(there, n, n, info, [=] {
        const Numbers ldl = gathered(factors);
        Numbers all = gathered(x);
        const std::vector<int> exchanges(pivots, pivots + n);
        const int size = int(n), width = int(columns);
        int failed = 0;
        zsytrs_("L", &size, &width, ldl.data(), &size, exchanges.data(), all.data(), &size, &failed, 1);
        scattered(x, all);
        return failed;
    });
}

} // extern "C"

#endif
