// What the functions of the runtime share: the thread's device, its last error.
#pragma once

#include <mutex>

#include <cuda_runtime_api.h>

#include "streams.hpp"

namespace reel::cuda::emulation {

int current_device();
/// Keeps the status for cudaGetLastError, and gives it.
cudaError_t answer(cudaError_t status);
/// Asked once by each call that a program must expect to fail (failing_call.hpp).
bool this_call_fails();
/// The same for a request for the device's memory.
bool this_request_fails();

} // namespace reel::cuda::emulation
