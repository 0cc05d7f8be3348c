// The functions that storages and the tape call.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include <memory>

#include "allocator.hpp"

namespace reel::cuda {

/// An allocator beside the device's own, for a graph. Tensors in its memory keep it alive.
std::shared_ptr<Allocator> private_memory(DeviceIndex index);
/// Memory in the order of the current stream; throws OutOfMemoryError with what is in use.
void* device_alloc(std::size_t nbytes, DeviceIndex index);
void device_free(void* p, std::size_t nbytes, DeviceIndex index);
/// Whoever gets the memory next comes after what `stream` does with it until it is freed.
void device_used_on(void* p, DeviceIndex index, cudaStream_t stream);

} // namespace reel::cuda
