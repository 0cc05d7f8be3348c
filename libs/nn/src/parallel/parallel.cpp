// Parts of a batch on several devices, and back.
#include <reel/nn/parallel.hpp>

#include <reel/autograd/cuda.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/split.hpp>

namespace reel::nn::parallel {

namespace detail {
std::vector<Device> devices_or_all(const std::optional<std::vector<Device>>& devices) {
    if (devices) {
        REEL_CHECK_VALUE(!devices->empty(), "data_parallel: devices is empty; name at least one device, or leave it "
                                            "out for all CUDA devices");
        return *devices;
    }
    std::vector<Device> all;
    for (int i = 0; i < cuda::device_count(); ++i) all.emplace_back(DeviceType::CUDA, DeviceIndex(i));
    if (all.empty()) all.emplace_back(DeviceType::CPU);
    return all;
}
void check_counts(std::size_t modules, std::size_t inputs, const std::optional<std::vector<Device>>& devices) {
    REEL_CHECK_VALUE(modules == inputs, "parallel_apply: ", modules, " modules, but ", inputs,
                     " inputs; expected one input for each module");
    REEL_CHECK_VALUE(!devices || devices->size() == modules, "parallel_apply: ", modules, " modules, but ",
                     devices->size(), " devices; expected one device for each module");
}
} // namespace detail

std::vector<Tensor> scatter(const Tensor& input, const std::vector<Device>& devices,
                            const std::optional<std::vector<std::int64_t>>& chunk_sizes, std::int64_t dim) {
    REEL_CHECK_VALUE(!devices.empty(), "scatter: no device was given");
    REEL_CHECK_VALUE(!chunk_sizes || chunk_sizes->size() == devices.size(), "scatter: ", devices.size(),
                     " devices, but ", chunk_sizes->size(), " chunk_sizes; expected one for each device");
    std::vector<Tensor> parts =
        chunk_sizes ? split_with_sizes(input, *chunk_sizes, dim) : chunk(input, std::int64_t(devices.size()), dim);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = parts[i].to(devices[i]);
    return parts;
}
Tensor gather(const std::vector<Tensor>& tensors, Device device, std::int64_t dim) {
    REEL_CHECK_VALUE(!tensors.empty(), "gather: no tensors to join");
    std::vector<Tensor> here;
    for (const Tensor& t : tensors) here.push_back((t.dim() == 0 ? t.reshape({1}) : t).to(device));
    return cat(here, dim);
}

} // namespace reel::nn::parallel
