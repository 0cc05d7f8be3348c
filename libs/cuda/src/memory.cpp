// Memory from the driver's stream-ordered pools, kept between uses.
#include <reel/cuda/memory.hpp>

#include <cstdint>
#include <mutex>

#include <reel/autograd/error.hpp>
#include <reel/cuda/device.hpp>

#include "check.hpp"
#include "memory.hpp"

namespace reel::cuda {

namespace {
cudaMemPool_t pool(DeviceIndex index) {
    constexpr int max_devices = 64;
    static std::once_flag once[max_devices];
    static cudaMemPool_t pools[max_devices];
    std::call_once(once[index], [&] {
        REEL_CUDA(cudaDeviceGetDefaultMemPool(&pools[index], index));
        // keep what is freed: giving it back at every synchronisation costs more than the copies
        std::uint64_t keep = UINT64_MAX;
        REEL_CUDA(cudaMemPoolSetAttribute(pools[index], cudaMemPoolAttrReleaseThreshold, &keep));
    });
    return pools[index];
}
std::size_t attribute(DeviceIndex index, cudaMemPoolAttr which) {
    std::uint64_t value = 0;
    REEL_CUDA(cudaMemPoolGetAttribute(pool(index), which, &value));
    return std::size_t(value);
}
} // namespace

void* device_alloc(std::size_t nbytes, DeviceIndex index) {
    index = checked_index(index);
    const DeviceGuard guard(index);
    pool(index);
    if (nbytes == 0) return nullptr;
    void* p = nullptr;
    const cudaError_t status = cudaMallocAsync(&p, nbytes, raw_stream(index));
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        const MemoryStats s = memory_stats(index);
        REEL_THROW(OutOfMemoryError, "cuda: device ", int(index), " has no ", nbytes, " bytes left (",
                   s.allocated_bytes, " allocated, ", s.reserved_bytes,
                   " reserved); free tensors, or call cuda::empty_cache()");
    }
    check(status, "cudaMallocAsync");
    return p;
}
void device_free(void* p, std::size_t, DeviceIndex index) {
    if (!p) return;
    // nothing here may throw; at process end the driver may be gone already, and its memory with it
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess) return;
    if (before != index) cudaSetDevice(index); // the default stream is the current device's
    cudaFreeAsync(p, raw_stream(index));
    if (before != index) cudaSetDevice(before);
}

MemoryStats memory_stats(DeviceIndex index) {
    MemoryStats s;
    if (!is_available()) return s;
    index = checked_index(index);
    s.allocated_bytes = attribute(index, cudaMemPoolAttrUsedMemCurrent);
    s.reserved_bytes = attribute(index, cudaMemPoolAttrReservedMemCurrent);
    s.peak_allocated_bytes = attribute(index, cudaMemPoolAttrUsedMemHigh);
    s.peak_reserved_bytes = attribute(index, cudaMemPoolAttrReservedMemHigh);
    return s;
}
void reset_peak_memory_stats(DeviceIndex index) {
    if (!is_available()) return;
    index = checked_index(index);
    std::uint64_t zero = 0;
    REEL_CUDA(cudaMemPoolSetAttribute(pool(index), cudaMemPoolAttrUsedMemHigh, &zero));
    REEL_CUDA(cudaMemPoolSetAttribute(pool(index), cudaMemPoolAttrReservedMemHigh, &zero));
}
void empty_cache() {
    for (int i = 0; i < device_count(); ++i) {
        synchronize(DeviceIndex(i));
        REEL_CUDA(cudaMemPoolTrimTo(pool(DeviceIndex(i)), 0));
    }
}

} // namespace reel::cuda
