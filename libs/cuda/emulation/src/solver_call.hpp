// What the stand-in for cuSOLVER checks of every call, and how a call is queued.
#pragma once

#include <cusolverDn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "blas_matrix.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace reel::cuda::emulation {

namespace solver {

struct Handle {
    int device;
    cudaStream_t stream;
};
inline std::map<cusolverDnHandle_t, Handle>& handles() {
    static auto& all = *new std::map<cusolverDnHandle_t, Handle>();
    return all;
}
inline std::set<cusolverDnParams_t>& all_params() {
    static auto& all = *new std::set<cusolverDnParams_t>();
    return all;
}

using Numbers = std::vector<Number>;
inline Numbers gathered(const Matrix& m) {
    Numbers all(std::size_t(m.rows * m.columns));
    for (std::int64_t j = 0; j < m.columns; ++j)
        for (std::int64_t i = 0; i < m.rows; ++i) all[std::size_t(j * m.rows + i)] = get(m, j * m.ld + i);
    return all;
}
inline void scattered(const Matrix& m, const Numbers& all) {
    for (std::int64_t j = 0; j < m.columns; ++j)
        for (std::int64_t i = 0; i < m.rows; ++i) put(m, j * m.ld + i, all[std::size_t(j * m.rows + i)]);
}
inline Matrix dense(void* data, cudaDataType t, std::int64_t rows, std::int64_t columns) {
    return {data, t, rows, columns, rows};
}
inline cudaDataType real_of(cudaDataType t) { return t == CUDA_C_32F ? CUDA_R_32F : t == CUDA_C_64F ? CUDA_R_64F : t; }
inline bool is_type(cudaDataType t) { return t == CUDA_R_32F || t == CUDA_R_64F || is_complex(t); }
/// Bytes as a matrix of halves: is so much memory there?
inline bool holds(const void* p, std::size_t bytes) {
    return lies_on_device(dense(const_cast<void*>(p), CUDA_R_16F, std::int64_t(bytes / 2), 1));
}

inline constexpr std::size_t host_bytes = 24;
inline std::size_t room_for(std::int64_t m, std::int64_t n) { return 256 + std::size_t(2 * std::max(m, n)); }

/// A call as far as all have it.
struct Call {
    Stream* stream = nullptr;
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;

    Call(cusolverDnHandle_t handle, cusolverDnParams_t params, cudaDataType type, cudaDataType compute) {
        const auto found = handles().find(handle);
        if (found == handles().end() || found->second.device != current_device() || !all_params().contains(params))
            status = CUSOLVER_STATUS_NOT_INITIALIZED;
        else if (stream = stream_of(found->second.stream); !stream || !is_type(type) || compute != type)
            status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    /// Of functions that take no parameters.
    Call(cusolverDnHandle_t handle, cudaDataType type) {
        const auto found = handles().find(handle);
        if (found == handles().end() || found->second.device != current_device())
            status = CUSOLVER_STATUS_NOT_INITIALIZED;
        else if (stream = stream_of(found->second.stream); !stream || !is_type(type))
            status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    void want(bool true_of_the_call) {
        if (status == CUSOLVER_STATUS_SUCCESS && !true_of_the_call) status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    void want_room(const void* there, std::size_t there_bytes, const void* here, std::size_t here_bytes, std::int64_t m,
                   std::int64_t n) {
        want(there_bytes >= room_for(m, n) && holds(there, room_for(m, n)) && here && here_bytes >= host_bytes);
    }
    /// Queues `f()` as the device's, which gives `info`; working memory is spoilt before.
    template <class F> cusolverStatus_t queue(void* there, std::int64_t m, std::int64_t n, int* info, F f) {
        want(holds(info, sizeof(int)));
        if (status != CUSOLVER_STATUS_SUCCESS) return status;
        enqueue(*stream, [=, device = stream->device] {
            const DeviceWork running(device, "a function of cuSOLVER");
            if (there) std::memset(there, 0xa5, room_for(m, n));
            *info = f();
        });
        return status;
    }
};
inline cusolverStatus_t sizes(Call call, std::int64_t m, std::int64_t n, std::int64_t ld, std::size_t* there,
                              std::size_t* here) {
    call.want(m > 0 && n > 0 && ld >= m);
    *there = room_for(m, n);
    *here = host_bytes;
    return call.status;
}

} // namespace solver

} // namespace reel::cuda::emulation
