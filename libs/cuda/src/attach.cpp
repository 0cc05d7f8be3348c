// What happens when the library is loaded: the device plugs itself into the core. No driver call here, loading stays
// cheap.
#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/kernels/copy.hpp>
#include <reel/cuda/device.hpp>
#include <reel/cuda/stream.hpp>

#include "check.hpp"
#include "copy.hpp"
#include "dnn.hpp"
#include "memory.hpp"
#include "pinned.hpp"
#include "replay_work.hpp"
#include "stream.hpp"

namespace reel::cuda {

namespace {
[[maybe_unused]] const bool attached = [] {
    DeviceHooks& hooks = device_hooks(kCUDA);
    hooks.alloc = &device_alloc;
    hooks.free = &device_free;
    hooks.synchronize = &device_synchronize;
    hooks.device_count = &usable_devices;
    hooks.rules_go_through_host = true; // special functions that only the host's libraries have
    hooks.has_cudnn = &dnn::is_available;
    hooks.current_device = [] { return cuda::current_device(); };
    hooks.pinned_alloc = &pinned_alloc;
    hooks.pinned_free = &pinned_free;
    hooks.unavailable_reason = [] { return reason_for_none(); };
    hooks.capturing = &is_capturing;
    hooks.before_replay = &before_replay;
    hooks.stream = &stream_token;
    hooks.set_stream = &set_stream_token;
    hooks.order = &order_streams;
    hooks.used_on = [](void* data, DeviceIndex index, DeviceIndex stream_device, std::uintptr_t stream) {
        device_used_on(data, index, raw_stream(stream_device, stream));
    };
    hooks.mark = [](DeviceIndex index) -> std::function<void()> {
        Event here;
        here.record(current_stream(index));
        return [here] { here.synchronize(); };
    };
    kernels::copy.set(kCUDA, &device_copy);
    kernels::fill.set(kCUDA, &device_fill);
    return true;
}();
} // namespace

} // namespace reel::cuda
