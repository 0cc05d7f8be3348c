// What the rest of the library asks of a capture under way on the calling thread.
#pragma once

#include <memory>

#include "allocator.hpp"

namespace reel::cuda {

/// The memory that a capture of the device takes; null without one.
const std::shared_ptr<Allocator>& capture_memory(DeviceIndex index);
/// What the capture of the device draws, and what it must check later; null without one.
class CapturedDraws;
CapturedDraws* capture_draws(DeviceIndex index);
class CapturedChecks;
CapturedChecks* capture_checks(DeviceIndex index);
/// Throws Error during a capture: `what` waits for the device.
void refuse_to_wait(const char* what);

} // namespace reel::cuda
