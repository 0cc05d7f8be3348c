// Finding the devices. Nothing here throws for want of a device, except what asks for one.
#include <reel/cuda/device.hpp>

#include <cublas_v2.h>

#include <string>

#include <reel/autograd/error.hpp>

#include "capturing.hpp"
#include "check.hpp"

namespace reel::cuda {

namespace {

struct Found {
    int count = 0;
    std::string reason;
};
std::string version_text(int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); }

Found look() {
    Found found;
    int driver = 0;
    cudaDriverGetVersion(&driver);
    const cudaError_t status = cudaGetDeviceCount(&found.count);
    if (status == cudaSuccess && found.count > 0) return found;
    cudaGetLastError(); // the status must not surface at the next kernel
    found.count = 0;
    if (driver == 0)
        found.reason = "no CUDA driver is loaded on this machine (libcuda.so.1 is missing or finds no device)";
    else if (status == cudaErrorInsufficientDriver)
        found.reason = "the CUDA driver supports version " + version_text(driver) + ", this build needs " +
                       version_text(CUDART_VERSION) + "; update the driver";
    else if (status == cudaErrorNoDevice || status == cudaSuccess)
        found.reason = "the CUDA driver finds no device (is CUDA_VISIBLE_DEVICES empty?)";
    else found.reason = std::string("the CUDA driver does not start: ") + cudaGetErrorString(status);
    return found;
}
const Found& found() {
    static const Found once = look();
    return once;
}

} // namespace

void throw_status(cudaError_t status, const char* call) {
    cudaGetLastError();
    const std::string text =
        std::string("cuda: ") + call + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
    if (status == cudaErrorMemoryAllocation) REEL_THROW(OutOfMemoryError, text);
    REEL_THROW(Error, text);
}

int usable_devices() { return found().count; }
const char* reason_for_none() { return found().reason.c_str(); }

DeviceIndex checked_index(DeviceIndex index) {
    REEL_CHECK(is_available(), "cuda: no device can be used: ", unavailable_reason());
    if (index >= 0) {
        REEL_CHECK(index < device_count(), "cuda: there is no device ", int(index), "; this machine has ",
                   device_count());
        return index;
    }
    int current = 0;
    REEL_CUDA(cudaGetDevice(&current));
    return DeviceIndex(current);
}

DeviceProperties get_device_properties(DeviceIndex index) {
    cudaDeviceProp p{};
    REEL_CUDA(cudaGetDeviceProperties(&p, checked_index(index)));
    DeviceProperties r;
    r.name = p.name;
    r.major = p.major;
    r.minor = p.minor;
    r.total_memory = p.totalGlobalMem;
    r.multi_processor_count = p.multiProcessorCount;
    r.warp_size = p.warpSize;
    r.max_threads_per_block = p.maxThreadsPerBlock;
    r.shared_memory_per_block = p.sharedMemPerBlockOptin;
    r.l2_cache_size = std::size_t(p.l2CacheSize);
    return r;
}

DeviceIndex current_device() { return checked_index(-1); }
void set_device(DeviceIndex index) { REEL_CUDA(cudaSetDevice(checked_index(index))); }
void device_synchronize(DeviceIndex index) {
    refuse_to_wait("synchronize()");
    const DeviceGuard guard(checked_index(index));
    REEL_CUDA(cudaDeviceSynchronize());
}

std::string versions() {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    std::string text = "CUDA toolkit " + version_text(CUDART_VERSION) + ", cuBLAS " + std::to_string(CUBLAS_VER_MAJOR) +
                       "." + std::to_string(CUBLAS_VER_MINOR) + ", driver " + (driver ? version_text(driver) : "none");
    if (!is_available()) return text + ", no device: " + unavailable_reason();
    for (int i = 0; i < device_count(); ++i) {
        const DeviceProperties p = get_device_properties(DeviceIndex(i));
        text += ", device " + std::to_string(i) + " " + p.name + " (sm_" + std::to_string(p.major) +
                std::to_string(p.minor) + ")";
    }
    return text;
}

DeviceGuard::DeviceGuard(DeviceIndex index) : before_(current_device()), changed_(index != before_ && index >= 0) {
    if (changed_) set_device(index);
}
DeviceGuard::~DeviceGuard() {
    // tried twice: the thread must not go on with another device than it thinks
    if (changed_ && cudaSetDevice(before_) != cudaSuccess) cudaSetDevice(before_);
}

} // namespace reel::cuda
