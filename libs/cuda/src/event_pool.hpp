// Events without timing, used again and again.
#pragma once

#include <cuda_runtime.h>

#include <vector>

namespace reel::cuda {

/// Of one device, by one user at a time. What it made lives as long as the process: drivers go before statics do.
class EventPool {
public:
    /// An event at the end of what `stream` has queued; null when the driver refuses, as it does at the process's end.
    cudaEvent_t recorded(cudaStream_t stream) noexcept {
        cudaEvent_t e = nullptr;
        if (!spare_.empty()) {
            e = spare_.back();
            spare_.pop_back();
        } else if (cudaEventCreateWithFlags(&e, cudaEventDisableTiming) != cudaSuccess) return nullptr;
        if (cudaEventRecord(e, stream) == cudaSuccess) return e;
        give_back(e);
        return nullptr;
    }
    static bool reached(cudaEvent_t e) noexcept {
        const cudaError_t status = cudaEventQuery(e);
        if (status == cudaErrorNotReady) cudaGetLastError(); // must not surface at the next kernel
        return status != cudaErrorNotReady;
    }
    void give_back(cudaEvent_t e) noexcept { spare_.push_back(e); }

private:
    std::vector<cudaEvent_t> spare_;
};

} // namespace reel::cuda
