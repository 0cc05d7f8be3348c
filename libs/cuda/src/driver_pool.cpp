// Memory from the driver's own stream-ordered pool. The driver sees each allocation, so tools that look for stray
// accesses see its bounds.
#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "allocator.hpp"
#include "check.hpp"
#include "event_pool.hpp"

namespace reel::cuda {

namespace {

class DriverPool final : public Allocator {
public:
    explicit DriverPool(DeviceIndex device) : device_(device) {
        REEL_CUDA(cudaDeviceGetDefaultMemPool(&pool_, device));
        // keep what is freed: giving it back at every synchronisation costs more than the copies
        std::uint64_t keep = UINT64_MAX;
        REEL_CUDA(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep));
    }
    void* allocate(std::size_t bytes, cudaStream_t stream) override {
        void* p = nullptr;
        cudaError_t status = cudaMallocAsync(&p, bytes, stream);
        const std::lock_guard lock(mutex_);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            ++counts_.alloc_retries;
            release();
            status = cudaMallocAsync(&p, bytes, stream);
        }
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            ++counts_.ooms;
            throw_out_of_memory(device_, bytes, stats());
        }
        check(status, "cudaMallocAsync");
        ++counts_.allocations;
        blocks_[p].stream = stream;
        return p;
    }
    void free(void* p) noexcept override {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(p);
        if (found == blocks_.end()) return;
        const cudaStream_t stream = found->second.stream;
        for (const cudaStream_t user : found->second.used_on)
            if (cudaEvent_t e = events_.recorded(user)) {
                if (cudaStreamWaitEvent(stream, e, 0) != cudaSuccess) cudaEventSynchronize(e);
                events_.give_back(e);
            } else cudaStreamSynchronize(user);
        blocks_.erase(found);
        if (cudaFreeAsync(p, stream) != cudaSuccess) cudaFree(p); // waits for the device
    }
    void used_on(void* p, cudaStream_t stream) override {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(p);
        if (found == blocks_.end() || found->second.stream == stream) return;
        auto& streams = found->second.used_on;
        if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
    }
    MemoryStats stats() override {
        MemoryStats s = counts_;
        s.allocated_bytes = attribute(cudaMemPoolAttrUsedMemCurrent);
        s.reserved_bytes = attribute(cudaMemPoolAttrReservedMemCurrent);
        s.peak_allocated_bytes = attribute(cudaMemPoolAttrUsedMemHigh);
        s.peak_reserved_bytes = attribute(cudaMemPoolAttrReservedMemHigh);
        return s;
    }
    void reset_peaks() override {
        std::uint64_t zero = 0;
        REEL_CUDA(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &zero));
        REEL_CUDA(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReservedMemHigh, &zero));
    }
    void release() override {
        REEL_CUDA(cudaDeviceSynchronize());
        REEL_CUDA(cudaMemPoolTrimTo(pool_, 0));
    }

private:
    std::size_t attribute(cudaMemPoolAttr which) const {
        std::uint64_t value = 0;
        REEL_CUDA(cudaMemPoolGetAttribute(pool_, which, &value));
        return std::size_t(value);
    }

    struct Use {
        cudaStream_t stream = nullptr;
        std::vector<cudaStream_t> used_on;
    };
    DeviceIndex device_;
    cudaMemPool_t pool_ = nullptr;
    std::mutex mutex_;
    std::unordered_map<void*, Use> blocks_;
    EventPool events_;
    MemoryStats counts_; ///< the driver knows the bytes
};

} // namespace

std::unique_ptr<Allocator> make_driver_pool(DeviceIndex device) { return std::make_unique<DriverPool>(device); }

} // namespace reel::cuda
