// Streams as the tape knows them: by a number, 0 for a device's default one.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include <reel/autograd/device.hpp>

namespace reel::cuda {

/// The calling thread's stream on the device.
std::uintptr_t stream_token(DeviceIndex index);
void set_stream_token(DeviceIndex index, std::uintptr_t token);
cudaStream_t raw_stream(DeviceIndex index, std::uintptr_t token);
/// What the second stream is given from now on comes after what the first one has queued.
void order_streams(DeviceIndex before, std::uintptr_t token_before, DeviceIndex after, std::uintptr_t token_after);

} // namespace reel::cuda
