// Data parallelism within a process, in libtorch's words: a batch is cut, a replica computes each part on its device,
// the results are joined.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <reel/nn/call.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/replicate.hpp>

namespace reel::nn::parallel {

namespace detail {
/// Deep copies whose parameters stay parameters and are copies on the tape.
std::vector<ModulePtr> connected_copies(const Module& module, const std::vector<Device>& devices);
/// The devices given, or every CUDA device, or the CPU where there is none. ValueError for an empty list.
std::vector<Device> devices_or_all(const std::optional<std::vector<Device>>& devices);
void check_counts(std::size_t modules, std::size_t inputs, const std::optional<std::vector<Device>>& devices);
} // namespace detail

/// `input` cut along `dim`, a part on each device: equal parts as `chunk` makes them, which may be fewer than there are
/// devices, or those of `chunk_sizes`. Gradients come back to `input`. ValueError for no devices and where the sizes
/// are not as many as the devices; Error where they do not add up.
std::vector<Tensor> scatter(const Tensor& input, const std::vector<Device>& devices,
                            const std::optional<std::vector<std::int64_t>>& chunk_sizes = std::nullopt,
                            std::int64_t dim = 0);
/// The tensors, from wherever they are, joined along `dim` on `device`; 0-dim ones become a vector. Gradients go back.
Tensor gather(const std::vector<Tensor>& tensors, Device device, std::int64_t dim = 0);

/// A deep copy of the module on each device, whose parameters are not leaves: what flows back into them adds up in the
/// gradients of the original. (`nn::replicate` gives copies without parameters, as Python's does.)
template <class M>
std::vector<std::shared_ptr<M>> replicate(const std::shared_ptr<M>& module, const std::vector<Device>& devices) {
    std::vector<std::shared_ptr<M>> copies;
    for (const ModulePtr& copy : detail::connected_copies(*module, devices))
        copies.push_back(std::static_pointer_cast<M>(copy));
    return copies;
}
template <class M>
std::vector<ModuleHolder<M>> replicate(const ModuleHolder<M>& module, const std::vector<Device>& devices) {
    const auto copies = replicate(module.ptr(), devices);
    return {copies.begin(), copies.end()};
}

/// Module `i` called with input `i`, both moved to device `i` where devices are given; one after the other: each fills
/// the cores of its CPU, and calls on a GPU return before it is done. ValueError where there are not as many of each.
template <class M>
std::vector<Tensor> parallel_apply(const std::vector<M>& modules, const std::vector<Tensor>& inputs,
                                   const std::optional<std::vector<Device>>& devices = std::nullopt) {
    detail::check_counts(modules.size(), inputs.size(), devices);
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < modules.size(); ++i) {
        const Tensor output = nn::call(*modules[i], devices ? inputs[i].to((*devices)[i]) : inputs[i]);
        outputs.push_back(devices ? output.to((*devices)[i]) : output);
    }
    return outputs;
}

/// `module(input)` computed by replicas of `module` on `devices` (default: all CUDA devices, or the CPU), each with a
/// part of `input` along `dim`; the result is on `output_device`, which is the first device by default. Buffers that a
/// replica changes are its own. With one device the module itself goes there and computes.
template <class M>
Tensor data_parallel(const M& module, const Tensor& input, const std::optional<std::vector<Device>>& devices = {},
                     std::optional<Device> output_device = std::nullopt, std::int64_t dim = 0) {
    std::vector<Device> all = detail::devices_or_all(devices);
    const Device home = output_device.value_or(all.front());
    if (all.size() == 1) {
        module->to(all.front());
        return nn::call(*module, input.to(all.front())).to(home);
    }
    const std::vector<Tensor> parts = scatter(input, all, std::nullopt, dim);
    all.resize(parts.size(), home);
    return gather(parallel_apply(replicate(module, all), parts, all), home, dim);
}

} // namespace reel::nn::parallel
