// CUDA as a program sees it that may or may not be linked with the device library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/autograd/device.hpp>
#include <reel/autograd/fwd.hpp>

namespace reel::cuda {

/// Can tensors be put on a CUDA device? False without libreel_cuda, without toolkit when that was built, without
/// driver, without device; never throws.
bool is_available();
/// Why `is_available()` is false, one line that says what to do where that is known; empty when it is true.
const std::string& unavailable_reason();
/// Number of devices that can be used, 0 when there is none.
int device_count();
/// Does the device library use cuDNN?
bool cudnn_is_available();
/// Waits for everything that was queued on the device, -1 the current one. Throws Error with the reason when there is
/// no such device.
void synchronize(DeviceIndex index = -1);
/// Seeds the default generator of the current device, or of all. No driver is asked: a device that comes to be used
/// later begins there.
void manual_seed(std::uint64_t seed);
void manual_seed_all(std::uint64_t seed);
/// Seeds the current device's from the system's entropy; all devices' the same.
void seed();
void seed_all();
/// What the current device's was seeded with.
std::uint64_t initial_seed();
/// The state of the device's default generator (-1: the current device), a uint8 tensor of 16 bytes on the CPU: seed
/// and offset, as PyTorch's. Error with the reason where there is no such device.
Tensor get_rng_state(DeviceIndex index = -1);
/// Goes on from such a state. TypeError, ValueError for what is none; nothing changes then.
void set_rng_state(const Tensor& state, DeviceIndex index = -1);
/// One for each device.
std::vector<Tensor> get_rng_state_all();
/// ValueError unless there are as many as devices.
void set_rng_state_all(const std::vector<Tensor>& states);

} // namespace reel::cuda

namespace reel {
/// `cuda::is_available()`.
inline bool hasCUDA() { return cuda::is_available(); }
} // namespace reel
