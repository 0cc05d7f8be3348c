// The device's memory: a stream-ordered pool, its statistics, its release.
#pragma once

#include <cstddef>

#include <reel/autograd/device.hpp>

namespace reel::cuda {

/// What the pool of one device holds, in bytes.
struct MemoryStats {
    std::size_t allocated_bytes = 0; ///< handed out now
    std::size_t reserved_bytes = 0;  ///< taken from the driver, in use or kept
    std::size_t peak_allocated_bytes = 0;
    std::size_t peak_reserved_bytes = 0;
};
/// Zeros where there is no device.
MemoryStats memory_stats(DeviceIndex index = -1);
void reset_peak_memory_stats(DeviceIndex index = -1);
/// Gives what the pool keeps but nobody uses back to the driver.
void empty_cache();

} // namespace reel::cuda
