// The functions that storages call.
#pragma once

#include <cstddef>

#include <reel/autograd/device.hpp>

namespace reel::cuda {

/// Stream-ordered memory of the device; throws OutOfMemoryError with what is in use.
void* device_alloc(std::size_t nbytes, DeviceIndex index);
void device_free(void* p, std::size_t nbytes, DeviceIndex index);

} // namespace reel::cuda
