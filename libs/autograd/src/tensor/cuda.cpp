// CUDA by way of what the device library registered.
#include <reel/autograd/cuda.hpp>

#include <mutex>
#include <random>

#include <reel/autograd/detail/default_generators.hpp>
#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/random.hpp>

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

namespace {
/// The default generator, locked, of a device that there is.
class Locked {
public:
    Locked(const char* call, DeviceIndex index) : generator_(found(call, index)), lock_(generator_.mutex()) {}
    Generator* operator->() { return &generator_; }

private:
    static Generator found(const char* call, DeviceIndex index) {
        REEL_CHECK(is_available(), "cuda::", call, ": no device can be used: ", unavailable_reason());
        REEL_CHECK(index >= -1 && index < device_count(), "cuda::", call, ": there is no device ", int(index),
                   "; there are ", device_count());
        return reel::detail::default_generator(Device(kCUDA, index));
    }
    Generator generator_;
    std::lock_guard<std::mutex> lock_;
};
std::uint64_t entropy() {
    std::random_device words;
    return std::uint64_t(words()) << 32 | words();
}
} // namespace

void manual_seed(std::uint64_t seed) {
    const Generator g = reel::detail::default_generator(Device(kCUDA, reel::detail::current_cuda_device()));
    const std::lock_guard lock(g.mutex());
    g.any_impl().set_current_seed(seed);
}
void manual_seed_all(std::uint64_t seed) {
    for (const auto* s = reel::detail::generators_of_scope(); s && !s->devices; s = s->before)
        if (s->one->device().is_cuda()) {
            const std::lock_guard lock(s->one->mutex());
            s->one->any_impl().set_current_seed(seed);
        }
    reel::detail::device_generators().seed_all(seed);
}
void seed() { manual_seed(entropy()); }
void seed_all() { manual_seed_all(entropy()); }
std::uint64_t initial_seed() { return Locked("initial_seed", -1)->current_seed(); }
Tensor get_rng_state(DeviceIndex index) { return Locked("get_rng_state", index)->get_state(); }
void set_rng_state(const Tensor& state, DeviceIndex index) { Locked("set_rng_state", index)->set_state(state); }
std::vector<Tensor> get_rng_state_all() {
    std::vector<Tensor> states;
    for (int i = 0; i < device_count(); ++i) states.push_back(get_rng_state(DeviceIndex(i)));
    return states;
}
void set_rng_state_all(const std::vector<Tensor>& states) {
    REEL_CHECK_VALUE(states.size() == std::size_t(device_count()), "cuda::set_rng_state_all: got ", states.size(),
                     " states for ", device_count(), " devices");
    for (std::size_t i = 0; i < states.size(); ++i) set_rng_state(states[i], DeviceIndex(i));
}

} // namespace reel::cuda

reel::DeviceIndex reel::detail::current_cuda_device() {
    const DeviceHooks& hooks = device_hooks(kCUDA);
    return cuda::is_available() && hooks.current_device ? hooks.current_device() : DeviceIndex(0);
}
