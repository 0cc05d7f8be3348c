// How cuSOLVER is called: its functions, a handle, a batch of matrices, working memory.
#pragma once

#if __has_include(<cusolverDn.h>)

#include <cusolverDn.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/cuda/device.hpp>

#include "library.hpp"

namespace reel::cuda::solver {

#define REEL_CUSOLVER_FUNCTIONS(f)                                                                                     \
    f(cusolverDnCreate) f(cusolverDnDestroy) f(cusolverDnSetStream) f(cusolverDnCreateParams)                          \
        f(cusolverDnDestroyParams) f(cusolverDnXpotrf_bufferSize) f(cusolverDnXpotrf) f(cusolverDnXgetrf_bufferSize)   \
            f(cusolverDnXgetrf) f(cusolverDnXgetrs) f(cusolverDnXgeqrf_bufferSize) f(cusolverDnXgeqrf)                 \
                f(cusolverDnXsyevd_bufferSize) f(cusolverDnXsyevd) f(cusolverDnXgesvd_bufferSize) f(cusolverDnXgesvd)  \
                    f(cusolverDnXgeev_bufferSize) f(cusolverDnXgeev) f(cusolverDnXsytrs_bufferSize)                    \
                        f(cusolverDnXsytrs) f(cusolverDnSsytrf_bufferSize) f(cusolverDnSsytrf)                         \
                            f(cusolverDnDsytrf_bufferSize) f(cusolverDnDsytrf) f(cusolverDnCsytrf_bufferSize)          \
                                f(cusolverDnCsytrf) f(cusolverDnZsytrf_bufferSize) f(cusolverDnZsytrf)

REEL_FUNCTION_TABLE(Api, REEL_CUSOLVER_FUNCTIONS);

/// Null where the library is not there or lacks a function.
const Api* api();

void check(cusolverStatus_t status, const char* op, const char* call);

template <class Raw, cusolverStatus_t (*Api::*destroy)(Raw*)> struct Destroy {
    void operator()(Raw* raw) const { (api()->*destroy)(raw); }
};
/// The calling thread's handle on the device, which must be current; it works on the thread's current stream.
struct Handle {
    std::unique_ptr<cusolverDnContext, Destroy<cusolverDnContext, &Api::cusolverDnDestroy>> raw;
    std::unique_ptr<cusolverDnParams, Destroy<cusolverDnParams, &Api::cusolverDnDestroyParams>> params;
};
const Handle& handle(const char* op, DeviceIndex index);

cudaDataType type_of(ScalarType t);

/// The `i`-th of things of `count` elements each.
void* nth(const Tensor& t, std::int64_t i, std::int64_t count);
int* nth_info(const Tensor& info, std::int64_t i);
struct Batch {
    std::int64_t rows, columns, count;
    cudaDataType type;
    explicit Batch(const Tensor& t)
        : rows(t.size(-1)), columns(t.size(-2)), count(t.numel() == 0 ? 0 : t.numel() / (rows * columns)),
          type(type_of(t.scalar_type())) {}
    std::int64_t each() const { return rows * columns; }
};
/// Working memory, here and there: the matrices of a batch have it one after the other, in the order of the stream.
struct Room {
    std::size_t there_bytes = 0, here_bytes = 0;
    Tensor there;
    std::vector<std::byte> here;
    void take(const Tensor& where);
    void* data() { return there_bytes ? there.data_ptr() : nullptr; }
    void* host() { return here_bytes ? here.data() : nullptr; }
};
Tensor integers(const Tensor& where, std::int64_t count);

} // namespace reel::cuda::solver

#endif
