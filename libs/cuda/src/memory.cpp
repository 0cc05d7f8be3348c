// The memory of the devices: which way each is kept, and what users may ask of it.
#include <reel/cuda/memory.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>

#include <reel/autograd/error.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/cuda/device.hpp>
#include <reel/cuda/stream.hpp>

#include "allocator.hpp"
#include "capturing.hpp"
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

/// Which blocks lie in memory of a graph's own.
class Privates {
public:
    void own(void* p, std::shared_ptr<Allocator> memory) {
        const std::lock_guard lock(mutex_);
        owners_[p] = std::move(memory);
        any_ = true;
    }
    std::shared_ptr<Allocator> owner(void* p) {
        if (!any_) return nullptr;
        const std::lock_guard lock(mutex_);
        const auto found = owners_.find(p);
        return found == owners_.end() ? nullptr : found->second;
    }
    std::shared_ptr<Allocator> disown(void* p) {
        if (!any_) return nullptr;
        const std::lock_guard lock(mutex_);
        const auto found = owners_.find(p);
        if (found == owners_.end()) return nullptr;
        auto memory = std::move(found->second);
        owners_.erase(found);
        return memory;
    }

private:
    std::mutex mutex_;
    std::unordered_map<void*, std::shared_ptr<Allocator>> owners_;
    std::atomic<bool> any_{false}; ///< programs without graphs pay nothing
};
Privates& privates() {
    static auto& one = *new Privates();
    return one;
}

} // namespace

std::shared_ptr<Allocator> private_memory(DeviceIndex index) { return make_block_cache(index); }

void throw_out_of_memory(DeviceIndex device, std::size_t bytes, const MemoryStats& s) {
    REEL_THROW(OutOfMemoryError, "cuda: device ", int(device), " has no ", bytes, " bytes left (", s.allocated_bytes,
               " allocated, ", s.reserved_bytes, " reserved); free tensors, or call cuda::empty_cache()");
}

void* device_alloc(std::size_t nbytes, DeviceIndex index) {
    index = checked_index(index);
    const DeviceGuard guard(index);
    if (nbytes == 0) return nullptr;
    if (const auto& memory = capture_memory(index)) {
        void* const p = memory->allocate(nbytes, raw_stream(index));
        privates().own(p, memory);
        return p;
    }
    return allocator(index).allocate(nbytes, raw_stream(index));
}
void device_free(void* p, std::size_t, DeviceIndex index) {
    if (!p) return;
    // nothing here may throw; at process end the driver may be gone already, and its memory with it
    int before = 0;
    const bool elsewhere = cudaGetDevice(&before) == cudaSuccess && before != index;
    if (elsewhere) cudaSetDevice(index);
    if (const auto memory = privates().disown(p)) memory->free(p);
    else allocator(index).free(p);
    if (elsewhere) cudaSetDevice(before);
    cudaGetLastError(); // what failed here must not surface at the next kernel
}
void device_used_on(void* p, DeviceIndex index, cudaStream_t stream) {
    if (!p) return;
    if (const auto memory = privates().owner(p)) memory->used_on(p, stream);
    else allocator(index).used_on(p, stream);
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
