// A kernel's threads on the host: where each one is, and what they wait for.
#pragma once

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>

namespace reel::cuda::emulation {

/// Where the running thread is in its grid.
struct Position {
    uint3 thread{}, block{};
    dim3 block_size, grid_size;
};
/// Of the thread that runs now; outside of a kernel there is none, and reading it ends the process.
const Position& here();

/// Where a kernel is launched, and with how much; `at` names the place in what faults say.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    std::source_location at = std::source_location::current();
};
/// Where a launch keeps its copy of the kernel's arguments, which the threads only read.
struct Arguments {
    const void* begin = nullptr;
    std::size_t bytes = 0;
};
/// Queues `thread` for every thread of the grid; what is wrong with the numbers becomes the last error, as with the
/// device.
void launch(const LaunchConfig& config, std::function<void()> thread, const Arguments& arguments = {});

/// Every thread of the block waits here for all the others.
void barrier(std::source_location at);
/// What lanes of a warp do together; each gives `value` and takes one.
enum class Collective { sync, shuffle, any, all, ballot, match };
/// Waits for the lanes of `mask`, which must all come to the same place. `source`: whose value this lane takes
/// (shuffle). Gives the bits of the result.
std::uint64_t collective(Collective kind, unsigned mask, std::uint64_t value, int source, std::source_location at);
unsigned lane();
/// The launch's shared memory, `shared_bytes` long, the block's own.
void* dynamic_shared_memory();
/// Says that the thread touches `bytes` at `p` in one indivisible step.
void note_atomic(const void* p, std::size_t bytes);

} // namespace reel::cuda::emulation
