// The toolkit's functions about devices and errors (its runtime API's reference says what each one does).
#include <cstring>
#include <utility>

#include <reel/cuda/emulation/modes.hpp>

#include "memory.hpp"
#include "runtime.hpp"

namespace reel::cuda::emulation {

namespace {
thread_local int device_now = 0;
thread_local cudaError_t last = cudaSuccess;
} // namespace

int current_device() { return device_now; }
cudaError_t answer(cudaError_t status) {
    if (status != cudaSuccess && status != cudaErrorNotReady) last = status;
    return status;
}

} // namespace reel::cuda::emulation

using namespace reel::cuda::emulation;

extern "C" {

cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last; }
const char* cudaGetErrorName(cudaError_t e) {
    switch (e) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorInvalidValue:
        return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
        return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
        return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
        return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
        return "cudaErrorNotReady";
    default:
        return "cudaErrorUnknown";
    }
}
const char* cudaGetErrorString(cudaError_t e) {
    switch (e) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
        return "invalid resource handle";
    case cudaErrorNotReady:
        return "device not ready";
    default:
        return "unknown error";
    }
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaGetDeviceCount(int* count) {
    *count = modes().devices;
    return answer(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* device) {
    *device = device_now;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= modes().devices) return answer(cudaErrorInvalidDevice);
    device_now = device;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    if (device < 0 || device >= modes().devices) return answer(cudaErrorInvalidDevice);
    const DeviceTable& t = modes().table();
    *p = cudaDeviceProp{};
    std::strncpy(p->name, t.name, sizeof(p->name) - 1);
    p->major = t.major;
    p->minor = t.minor;
    p->multiProcessorCount = t.multiprocessors;
    p->totalGlobalMem = t.memory;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->sharedMemPerBlock = 48 * 1024;
    p->sharedMemPerBlockOptin = t.shared_per_block;
    p->l2CacheSize = int(t.l2_cache);
    p->maxThreadsPerMultiProcessor = 2048;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    const std::lock_guard guard(runtime_lock());
    drain_device(device_now);
    return cudaSuccess;
}

} // extern "C"
