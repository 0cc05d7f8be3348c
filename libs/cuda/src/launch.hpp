// A kernel's launch in one spelling for both compilers: nvcc's own, and the ordinary one that builds for the emulated
// device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <type_traits>

#include "check.hpp"

namespace reel::cuda {

#if defined(__CUDACC__)
/// How many blocks of how many threads, with how much shared memory, on which stream.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
};
#else
using emulation::LaunchConfig;
#endif

/// A kernel's parameter of some kilobytes, which its threads only read: they share the one that the launch has copied,
/// as the device's threads share its constant memory.
#if defined(__CUDACC__)
template <class T> using TableParameter = const T;
#else
template <class T> using TableParameter = const T&;
#endif

/// Launches `kernel` with the arguments converted to its parameters' types. Throws Error naming `op` when the launch is
/// refused. Shared memory of a size known only here is what `dynamic_shared<T>()` gives in the kernel.
template <class... P, class... A>
void launch(const char* op, void (*kernel)(P...), const LaunchConfig& c, const A&... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "a kernel is launched with as many arguments as it has parameters");
#if defined(__CUDACC__)
    kernel<<<c.grid, c.block, c.shared_bytes, c.stream>>>(static_cast<P>(arguments)...);
#else
    // as on the device, the arguments are copied now, whenever the threads run
    const auto call = [kernel, ... a = std::remove_cvref_t<P>(static_cast<P>(arguments))] { kernel(a...); };
    const auto kept = std::make_shared<const decltype(call)>(call);
    emulation::launch(c, [kept] { (*kept)(); }, {kept.get(), sizeof call});
#endif
    check(cudaGetLastError(), op);
}

/// The launch's shared memory.
template <class T> __device__ T* dynamic_shared() {
#if defined(__CUDACC__)
    extern __shared__ __align__(16) unsigned char reel_dynamic_shared[];
    return reinterpret_cast<T*>(reel_dynamic_shared);
#else
    return static_cast<T*>(emulation::dynamic_shared_memory());
#endif
}

} // namespace reel::cuda
