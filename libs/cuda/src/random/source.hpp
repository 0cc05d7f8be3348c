// Where the random numbers of a kernel begin.
#pragma once

#include <cstdint>

#include <reel/autograd/kernels/random.hpp>

namespace reel::cuda {

/// What a kernel makes its `Philox` from. Numbers that are known now, or, in a captured graph, those that lie in the
/// device's memory when it runs.
struct RandomSource {
    const std::uint64_t* words; ///< seed and first counter of the replay; null: `seed`, and `first` is absolute
    std::uint64_t seed, first;
};

/// Takes `counters` from the generator that is given, else from the device's default one; while a capture is under way,
/// for each replay. Throws Error naming `op` for a generator of another device.
RandomSource draw(const char* op, DeviceIndex device, const OptionalGenerator& generator, std::int64_t counters);

} // namespace reel::cuda
