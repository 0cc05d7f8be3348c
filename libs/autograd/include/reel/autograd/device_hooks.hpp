// What a device library plugs into the core: memory and copies.
#pragma once

#include <cstddef>

#include <reel/autograd/tensor.hpp>

namespace reel {

/// Functions that a device offers to storage and copies. All null until a device library registers itself.
struct DeviceHooks {
    void* (*alloc)(std::size_t nbytes, DeviceIndex index) = nullptr;
    void (*free)(void* p, std::size_t nbytes, DeviceIndex index) = nullptr;
    /// Copies `src` into `dst` (same shape); at least one of them lives on the device. Converts dtypes.
    void (*copy)(const Tensor& dst, const Tensor& src, bool non_blocking) = nullptr;
    void (*synchronize)(DeviceIndex index) = nullptr;
    DeviceIndex (*current_device)() = nullptr;
    /// Why the device cannot be used, for error messages.
    const char* (*unavailable_reason)() = nullptr;
};
DeviceHooks& device_hooks(DeviceType type);

} // namespace reel
