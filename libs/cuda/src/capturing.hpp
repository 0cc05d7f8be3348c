// What the rest of the library asks of a capture under way on the calling thread.
#pragma once

#include <memory>

#include "allocator.hpp"

namespace reel::cuda {

/// The memory that a capture of the device takes; null without one.
const std::shared_ptr<Allocator>& capture_memory(DeviceIndex index);
/// Throws Error during a capture: `what` waits for the device.
void refuse_to_wait(const char* what);

} // namespace reel::cuda
