// Loops over the grid: one function object for each number below a count.
#pragma once

#include <cstdint>

#include <reel/cuda/device.hpp>

#include "strided.cuh"

namespace reel::cuda {

template <class F> __global__ void for_each_kernel(std::int64_t count, F f) {
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) f(i);
}

/// Calls `f(i)` for 0 <= i < count on the device, in the order of its current stream; each i is a thread's, so what two
/// of them write must not meet. `f` is copied there: it holds pointers and numbers.
template <class F> void for_each(const char* op, DeviceIndex index, std::int64_t count, const F& f) {
    if (count == 0) return;
    const DeviceGuard guard(index);
    launch(op, for_each_kernel<F>, {blocks_for(count), threads_per_block, 0, raw_stream(index)}, count, f);
}

/// The tensor's memory. Checks nothing: the kernel's caller knows the dtype.
template <class T> T* data(const Tensor& t) { return static_cast<T*>(t.data_ptr()); }
/// The same, or null for an undefined one.
template <class T> T* data_or_null(const Tensor& t) { return t.defined() ? data<T>(t) : nullptr; }

} // namespace reel::cuda
