// CUDA as a program sees it that may or may not be linked with the device library.
#pragma once

#include <cstdint>
#include <string>

#include <reel/autograd/device.hpp>

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
/// Seeds the random numbers of the current device, or of all. As in PyTorch, nothing happens where there is none.
void manual_seed(std::uint64_t seed);
void manual_seed_all(std::uint64_t seed);

} // namespace reel::cuda
