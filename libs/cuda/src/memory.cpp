// The memory of the devices: which way each is kept, and what users may ask of it.
#include <reel/cuda/memory.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

#include <reel/autograd/error.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/cuda/device.hpp>
#include <reel/cuda/stream.hpp>

#include "allocator.hpp"
#include "check.hpp"
#include "memory.hpp"

namespace reel::cuda {

namespace {

constexpr int max_devices = 64;

std::unique_ptr<Allocator> made(DeviceIndex index) {
    const char* const text = std::getenv("REEL_CUDA_ALLOCATOR");
    const std::string way = text ? text : "cache";
    REEL_CHECK(way == "cache" || way == "driver", "cuda: REEL_CUDA_ALLOCATOR=", way, "; expected cache or driver");
    return way == "cache" ? make_block_cache(index) : make_driver_pool(index);
}
/// Live as long as the process: tensors in statics are freed after other statics are gone.
std::array<std::atomic<Allocator*>, max_devices> allocators;
Allocator& allocator(DeviceIndex index) {
    static std::array<std::once_flag, max_devices> once;
    std::call_once(once[std::size_t(index)], [&] { allocators[std::size_t(index)] = made(index).release(); });
    return *allocators[std::size_t(index)];
}

} // namespace

void throw_out_of_memory(DeviceIndex device, std::size_t bytes, const MemoryStats& s) {
    REEL_THROW(OutOfMemoryError, "cuda: device ", int(device), " has no ", bytes, " bytes left (", s.allocated_bytes,
               " allocated, ", s.reserved_bytes, " reserved); free tensors, or call cuda::empty_cache()");
}

void* device_alloc(std::size_t nbytes, DeviceIndex index) {
    index = checked_index(index);
    const DeviceGuard guard(index);
    if (nbytes == 0) return nullptr;
    return allocator(index).allocate(nbytes, raw_stream(index));
}
void device_free(void* p, std::size_t, DeviceIndex index) {
    if (!p) return;
    // nothing here may throw; at process end the driver may be gone already, and its memory with it
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess) return;
    if (before != index) cudaSetDevice(index);
    allocator(index).free(p);
    if (before != index) cudaSetDevice(before);
}
void device_used_on(void* p, DeviceIndex index, cudaStream_t stream) {
    if (p) allocator(index).used_on(p, stream);
}

void record_stream(const Tensor& tensor, const Stream& stream) {
    REEL_CHECK(tensor.is_cuda(), "record_stream: argument 'tensor' is on ", tensor.device(), "; expected cuda");
    device_used_on(tensor.storage()->data(), tensor.device().index(), stream.stream());
}

MemoryStats memory_stats(DeviceIndex index) {
    if (!is_available()) return {};
    index = checked_index(index);
    const DeviceGuard guard(index);
    return allocator(index).stats();
}
void reset_peak_memory_stats(DeviceIndex index) {
    if (!is_available()) return;
    index = checked_index(index);
    const DeviceGuard guard(index);
    allocator(index).reset_peaks();
}
void empty_cache() {
    for (int i = 0; i < device_count(); ++i)
        if (Allocator* const used = allocators[std::size_t(i)]) {
            const DeviceGuard guard{DeviceIndex(i)};
            used->release();
        }
}

} // namespace reel::cuda
