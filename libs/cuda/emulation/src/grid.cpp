// A launch: checked as the device checks it, queued, and run block after block.
#include <reel/cuda/emulation/grid.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include <reel/cuda/emulation/modes.hpp>

#include "block.hpp"
#include "fault.hpp"
#include "memory.hpp"
#include "runtime.hpp"
#include "watch.hpp"

namespace reel::cuda::emulation {

namespace {

/// Limits of compute capability 9.0 (programming guide).
cudaError_t check_launch(const LaunchConfig& c) {
    const auto zero = [](dim3 d) { return d.x == 0 || d.y == 0 || d.z == 0; };
    if (zero(c.grid) || zero(c.block)) return cudaErrorInvalidConfiguration;
    if (c.grid.x > 0x7fffffffU || c.grid.y > 65535 || c.grid.z > 65535) return cudaErrorInvalidConfiguration;
    if (c.block.x > 1024 || c.block.y > 1024 || c.block.z > 64) return cudaErrorInvalidConfiguration;
    if (std::uint64_t(c.block.x) * c.block.y * c.block.z > 1024) return cudaErrorInvalidConfiguration;
    if (c.shared_bytes > modes().table().shared_per_block) return cudaErrorInvalidValue;
    return cudaSuccess;
}

void run_grid(const LaunchConfig& c, const std::function<void()>& thread, const Arguments& arguments, int device) {
    static std::mt19937_64 dice{modes().seed};
    const std::string what = "the kernel launched at " + place(c.at);
    const DeviceWork work(device, what.c_str());
    const WatchedLaunch watched(what, arguments);
    Block block(c, thread, dice);
    const std::uint64_t blocks = std::uint64_t(c.grid.x) * c.grid.y * c.grid.z;
    // a random order without a table of all blocks: a step that has no factor in common with their number
    std::uint64_t step = 1, start = 0;
    if (modes().order == Order::reverse) step = blocks - 1, start = blocks - 1;
    if (modes().order == Order::random) {
        do step = dice() % blocks | 1U;
        while (std::gcd(step, blocks) != 1);
        start = dice() % blocks;
    }
    for (std::uint64_t i = 0, n = start; i < blocks; ++i, n = (n + step) % blocks)
        block.run({unsigned(n % c.grid.x), unsigned(n / c.grid.x % c.grid.y), unsigned(n / c.grid.x / c.grid.y)});
}

} // namespace

void launch(const LaunchConfig& config, std::function<void()> thread, const Arguments& arguments) {
    const std::lock_guard guard(runtime_lock());
    if (this_call_fails()) {
        answer(cudaErrorLaunchFailure);
        return;
    }
    if (const cudaError_t status = check_launch(config); status != cudaSuccess) {
        answer(status);
        return;
    }
    Stream* const s = stream_of(config.stream);
    if (!s || s->device != current_device()) {
        answer(cudaErrorInvalidResourceHandle);
        return;
    }
    enqueue(*s, [config, thread = std::move(thread), arguments, device = s->device] {
        run_grid(config, thread, arguments, device);
    });
}

const Position& here() {
    const Lane* const lane = Block::running();
    if (!lane) fault("threadIdx, blockIdx, blockDim or gridDim is read outside of a kernel");
    return lane->position;
}
void barrier(std::source_location at) {
    if (!Block::running()) fault("__syncthreads outside of a kernel (" + place(at) + ")");
    Block::current()->wait(State::at_barrier, at);
}
void* dynamic_shared_memory() { return Block::current()->shared(); }

} // namespace reel::cuda::emulation
