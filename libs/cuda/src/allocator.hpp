// How the memory of one device is kept. Two ways, chosen when the process starts.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include <reel/cuda/memory.hpp>

namespace reel::cuda {

/// Memory of one device in the order of its streams. A block belongs to the stream it was asked for on, whichever
/// thread or stream gives it back; what other streams do with it is told by `used_on`. The caller makes the device
/// current. Thread-safe.
class Allocator {
public:
    virtual ~Allocator() = default;
    /// At least `bytes`, aligned for every type. Throws OutOfMemoryError with what is in use.
    virtual void* allocate(std::size_t bytes, cudaStream_t stream) = 0;
    virtual void free(void* p) noexcept = 0;
    /// The block is not given to anybody before what `stream` has queued until it is freed has run.
    virtual void used_on(void* p, cudaStream_t stream) = 0;
    virtual MemoryStats stats() = 0;
    virtual void reset_peaks() = 0;
    /// Gives back to the driver what is kept and not used.
    virtual void release() = 0;
};

/// Blocks cut from segments that the driver gave, kept between uses (block_cache.cpp).
std::unique_ptr<Allocator> make_block_cache(DeviceIndex device);
/// The driver's stream-ordered pool (driver_pool.cpp).
std::unique_ptr<Allocator> make_driver_pool(DeviceIndex device);

[[noreturn]] void throw_out_of_memory(DeviceIndex device, std::size_t bytes, const MemoryStats& s);

} // namespace reel::cuda
