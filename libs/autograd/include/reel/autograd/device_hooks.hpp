// What a device library plugs into the core besides its kernels: memory, waiting, and what can be asked of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

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
    /// Are pointwise rules that the device has no loop for computed by the host, on copies?
    bool rules_go_through_host = false;
    /// Page-locked memory of the host; null for devices that do not read it by themselves.
    void* (*pinned_alloc)(std::size_t nbytes) = nullptr;
    void (*pinned_free)(void* p, std::size_t nbytes) = nullptr;
    /// Is the calling thread's work there only noted, to run later and more than once? Whoever needs a number of the
    /// device's must do without. Null: never.
    bool (*capturing)(DeviceIndex index) = nullptr;
    /// While it is: what the host does before each run of what is noted. Set where `capturing` is.
    void (*before_replay)(DeviceIndex index, std::function<void()> work) = nullptr;
    /// Why the device cannot be used, for error messages.
    const char* (*unavailable_reason)() = nullptr;

    // Queues of work. A device that has them sets all five; a stream is named by a number, 0 being the default one.
    std::uintptr_t (*stream)(DeviceIndex index) = nullptr; ///< the calling thread's
    void (*set_stream)(DeviceIndex index, std::uintptr_t stream) = nullptr;
    /// What the second stream is given from now on runs after all that the first has been given.
    void (*order)(DeviceIndex before, std::uintptr_t stream_before, DeviceIndex after,
                  std::uintptr_t stream_after) = nullptr;
    /// The memory at `data` serves nobody else before what the stream does until it is freed has run.
    void (*used_on)(void* data, DeviceIndex index, DeviceIndex stream_device, std::uintptr_t stream) = nullptr;
    /// A point behind what the calling thread's stream has been given; who calls the result waits for that.
    std::function<void()> (*mark)(DeviceIndex index) = nullptr;
};
DeviceHooks& device_hooks(DeviceType type);
/// Is the calling thread's work on `device` only noted, for a graph?
inline bool is_captured(Device device) {
    const DeviceHooks& hooks = device_hooks(device.type());
    return hooks.capturing && hooks.capturing(device.index());
}

} // namespace reel
