// Random numbers in a captured graph: each replay goes on with the generator's stream.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/tensor.hpp>

#include "random/source.hpp"

namespace reel::cuda {

/// What the capture of one graph draws. Captured kernels read seed and beginning from the device's memory, where each
/// replay writes those of the generator, which then goes on by what a replay takes.
class CapturedDraws {
public:
    explicit CapturedDraws(DeviceIndex device) : device_(device) {}
    /// The next `counters` of the generator, which the caller holds. Throws Error when it was seeded, or set to another
    /// state, within the capture.
    RandomSource take(const char* op, const Generator& generator, std::uint64_t counters);
    /// Nothing was drawn yet: generators go back to where they were.
    void end_capture() noexcept;
    /// Queues what the replay that follows on the current stream begins with.
    void begin_replay() const;

private:
    struct One {
        Generator generator;
        Tensor words; ///< seed and first counter, in the graph's memory
        std::uint64_t seed, offset, most;
    };
    DeviceIndex device_;
    std::vector<One> all_;
};

} // namespace reel::cuda
