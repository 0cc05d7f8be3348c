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
    case cudaErrorLaunchFailure:
        return "cudaErrorLaunchFailure";
    case cudaErrorDevicesUnavailable:
        return "cudaErrorDevicesUnavailable";
    case cudaErrorStreamCaptureUnsupported:
        return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated:
        return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureUnjoined:
        return "cudaErrorStreamCaptureUnjoined";
    case cudaErrorCapturedEvent:
        return "cudaErrorCapturedEvent";
    case cudaErrorIllegalState:
        return "cudaErrorIllegalState";
    case cudaErrorStreamCaptureIsolation:
        return "cudaErrorStreamCaptureIsolation";
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
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    case cudaErrorDevicesUnavailable:
        return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorStreamCaptureUnsupported:
        return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
        return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureUnjoined:
        return "operation failed because a forked stream was not joined to its origin";
    case cudaErrorCapturedEvent:
        return "operation not permitted on an event last recorded in a capturing stream";
    case cudaErrorIllegalState:
        return "the operation cannot be performed in the present state";
    case cudaErrorStreamCaptureIsolation:
        return "dependency created on uncaptured work in another stream";
    default:
        return "unknown error";
    }
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = modes().driver == Driver::current ? CUDART_VERSION : modes().driver == Driver::old ? 11000 : 0;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = modes().driver == Driver::current ? modes().devices : 0;
    if (modes().driver == Driver::old) return answer(cudaErrorInsufficientDriver);
    return answer(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* device) {
    *device = device_now;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    if (this_call_fails()) return answer(cudaErrorDevicesUnavailable);
    if (device < 0 || device >= modes().devices) return answer(cudaErrorInvalidDevice);
    device_now = device;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    if (this_call_fails()) return answer(cudaErrorDevicesUnavailable);
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
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    if (is_capturing(device_now)) return answer(cudaErrorStreamCaptureUnsupported);
    drain_device(device_now);
    return cudaSuccess;
}

} // extern "C"
