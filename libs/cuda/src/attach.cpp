// What happens when the library is loaded: the device plugs itself into the core. No driver call here, loading stays
// cheap.
#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/kernels/copy.hpp>
#include <reel/cuda/device.hpp>

#include "check.hpp"
#include "copy.hpp"
#include "memory.hpp"

namespace reel::cuda {

namespace {
[[maybe_unused]] const bool attached = [] {
    DeviceHooks& hooks = device_hooks(kCUDA);
    hooks.alloc = &device_alloc;
    hooks.free = &device_free;
    hooks.synchronize = &device_synchronize;
    hooks.device_count = &usable_devices;
    hooks.has_cudnn = [] { return false; };
    hooks.current_device = [] { return cuda::current_device(); };
    hooks.unavailable_reason = [] { return reason_for_none(); };
    kernels::copy.set(kCUDA, &device_copy);
    kernels::fill.set(kCUDA, &device_fill);
    return true;
}();
} // namespace

} // namespace reel::cuda
