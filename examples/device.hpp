// `--device NAME`: where an example computes.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <reel/autograd/device.hpp>
#include <reel/cuda.hpp>

/// cpu, cuda, cuda:1. Errors: std::exception that says why the program cannot compute there.
inline reel::Device device_named(const std::string& name) {
    if (name == "cpu") return reel::kCPU;
    if (!name.starts_with("cuda"))
        throw std::runtime_error("--device: expected cpu, cuda or cuda:1, got '" + name + "'");
    const reel::Device given(name), device(reel::kCUDA, given.has_index() ? given.index() : reel::DeviceIndex(0));
    // a function of the device's library, which a program that asks for none is not linked with
    if (!reel::cuda::is_available()) throw std::runtime_error("--device cuda: " + reel::cuda::versions());
    if (device.index() >= reel::cuda::device_count())
        throw std::runtime_error("--device " + name + ": there is no such device");
    return device;
}
/// What stands behind `--device` on the command line, else the CPU. Where that cannot be, the program says why and
/// ends.
inline reel::Device device_of(int argc, char** argv) {
    try {
        for (int i = 1; i + 1 < argc; ++i)
            if (std::string(argv[i]) == "--device") return device_named(argv[i + 1]);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::exit(2);
    }
    return reel::kCPU;
}
