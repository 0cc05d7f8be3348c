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
    void (*synchronize)(DeviceIndex index) = nullptr; ///< throws when there is no such device
    int (*device_count)() = nullptr;                  ///< 0 when the device cannot be used
    DeviceIndex (*current_device)() = nullptr;
    bool (*has_cudnn)() = nullptr;
    void (*manual_seed)(std::uint64_t seed, DeviceIndex index) = nullptr; ///< null where it draws no random numbers
    /// Why the device cannot be used, for error messages.
    const char* (*unavailable_reason)() = nullptr;
};
DeviceHooks& device_hooks(DeviceType type);

} // namespace reel
