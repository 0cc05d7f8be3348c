// CUDA by way of what the device library registered.
#include <reel/autograd/cuda.hpp>

#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/error.hpp>

namespace reel::cuda {

namespace {
const DeviceHooks& hooks() { return device_hooks(kCUDA); }
} // namespace

bool is_available() { return device_count() > 0; }
int device_count() { return hooks().device_count ? hooks().device_count() : 0; }
const std::string& unavailable_reason() {
    static const std::string none;
    if (is_available()) return none;
    // The library is linked or is not: the answer does not change.
    static const std::string reason =
        hooks().unavailable_reason ? hooks().unavailable_reason() : "the program is not linked with libreel_cuda";
    return reason;
}
bool cudnn_is_available() { return is_available() && hooks().has_cudnn && hooks().has_cudnn(); }
void synchronize(DeviceIndex index) {
    REEL_CHECK(is_available(), "cuda: no device can be used: ", unavailable_reason());
    hooks().synchronize(index);
}
void manual_seed(std::uint64_t seed) {
    if (is_available() && hooks().manual_seed) hooks().manual_seed(seed, hooks().current_device());
}
void manual_seed_all(std::uint64_t seed) {
    for (int i = 0; i < device_count(); ++i)
        if (hooks().manual_seed) hooks().manual_seed(seed, DeviceIndex(i));
}

} // namespace reel::cuda
