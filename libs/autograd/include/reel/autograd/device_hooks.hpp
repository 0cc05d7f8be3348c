// What a device library plugs into the core besides its kernels: memory, waiting, and what can be asked of a device.
#pragma once

#include <cstddef>

#include <reel/autograd/tensor.hpp>

namespace reel {

/// Functions that a device offers to storage and to `reel::cuda`. All null until a device library registers itself.
/// Whatever reads or writes elements is a kernel instead (reel/autograd/kernel.hpp), copies and fills, too.
struct DeviceHooks {
    void* (*alloc)(std::size_t nbytes, DeviceIndex index) = nullptr;
    void (*free)(void* p, std::size_t nbytes, DeviceIndex index) = nullptr;
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
