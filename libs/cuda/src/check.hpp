// From the toolkit's status codes to errors. Private: cuda.h never reaches a public header.
#pragma once

#include <cuda_runtime.h>

#include <reel/autograd/device.hpp>

namespace reel::cuda {

/// Throws Error (OutOfMemoryError for want of memory) naming the call and what the driver says of `status`.
[[noreturn]] void throw_status(cudaError_t status, const char* call);
inline void check(cudaError_t status, const char* call) {
    if (status != cudaSuccess) [[unlikely]]
        throw_status(status, call);
}
/// Throws Error with the reason unless `index` is a device of this machine; -1 gives the current one.
DeviceIndex checked_index(DeviceIndex index);
int usable_devices();
/// One line; empty when there are some.
const char* reason_for_none();
void device_synchronize(DeviceIndex index);
/// The current stream of the calling thread on the device.
cudaStream_t raw_stream(DeviceIndex index);

} // namespace reel::cuda

#define REEL_CUDA(call) ::reel::cuda::check((call), #call)
