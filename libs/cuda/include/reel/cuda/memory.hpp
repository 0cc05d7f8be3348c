// The device's memory: what is in use, what is kept, its release.
#pragma once

#include <cstddef>
#include <cstdint>

#include <reel/autograd/device.hpp>
#include <reel/autograd/fwd.hpp>

namespace reel::cuda {

class Stream;

/// What one device's allocator holds, in bytes, and what it did.
struct MemoryStats {
    std::size_t allocated_bytes = 0; ///< handed out now
    std::size_t reserved_bytes = 0;  ///< taken from the driver, in use or kept
    std::size_t peak_allocated_bytes = 0;
    std::size_t peak_reserved_bytes = 0;
    std::uint64_t allocations = 0;   ///< since the process began
    std::uint64_t segments = 0;      ///< what is reserved lies in so many pieces; the driver's pool does not tell
    std::uint64_t alloc_retries = 0; ///< how often what was kept had to be given back first
    std::uint64_t ooms = 0;          ///< how often that did not help: OutOfMemoryError
};
/// Zeros where there is no device.
MemoryStats memory_stats(DeviceIndex index = -1);
void reset_peak_memory_stats(DeviceIndex index = -1);
inline std::size_t memory_allocated(DeviceIndex index = -1) { return memory_stats(index).allocated_bytes; }
inline std::size_t max_memory_allocated(DeviceIndex index = -1) { return memory_stats(index).peak_allocated_bytes; }
inline std::size_t memory_reserved(DeviceIndex index = -1) { return memory_stats(index).reserved_bytes; }
inline std::size_t max_memory_reserved(DeviceIndex index = -1) { return memory_stats(index).peak_reserved_bytes; }
/// Gives what is kept but nobody uses back to the driver. Waits for the devices.
void empty_cache();

/// `tensor` is used by work on `stream`, which is not the stream its memory was asked for on: when the tensor goes,
/// its memory serves nobody else before that work has run. Throws Error for a tensor that is not on a CUDA device.
void record_stream(const Tensor& tensor, const Stream& stream);

} // namespace reel::cuda
