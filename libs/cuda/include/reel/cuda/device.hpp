// What graphics devices this machine offers.
#pragma once

#include <cstddef>
#include <string>

#include <reel/autograd/cuda.hpp>

namespace reel::cuda {

/// What the driver says about one device.
struct DeviceProperties {
    std::string name;
    int major = 0, minor = 0; ///< compute capability
    std::size_t total_memory = 0;
    int multi_processor_count = 0;
    int warp_size = 0;
    int max_threads_per_block = 0;
    std::size_t shared_memory_per_block = 0; ///< most that a kernel may ask for
    std::size_t l2_cache_size = 0;
};
/// Throws Error with the reason when there is no such device.
DeviceProperties get_device_properties(DeviceIndex index = -1);

/// The device that `Device("cuda")` without an index means, of the calling thread. Throws like `get_device_properties`.
DeviceIndex current_device();
void set_device(DeviceIndex index);

/// Versions of toolkit, driver, cuBLAS; one line of text for `show_config()`.
std::string versions();

/// Makes `index` the current device for a scope.
class DeviceGuard {
public:
    explicit DeviceGuard(DeviceIndex index);
    ~DeviceGuard();
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;

private:
    DeviceIndex before_;
    bool changed_;
};
using CUDAGuard = DeviceGuard; ///< libtorch's name

} // namespace reel::cuda
