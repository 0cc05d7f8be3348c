// The generators that a thread draws from where none is given.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <reel/autograd/generator.hpp>

namespace reel::detail {

/// Default generators of the CUDA devices, made when they are first asked for. No driver is asked.
class DeviceGenerators {
public:
    DeviceGenerators();
    Generator at(DeviceIndex index);
    /// Those there are and those to come.
    void seed_all(std::uint64_t seed);
    /// Where all of them are.
    struct State {
        std::uint64_t seed = 0;                                          ///< of those to come
        std::vector<std::pair<std::uint64_t, std::uint64_t>> generators; ///< seed and offset
    };
    State state() const;
    void set_state(const State& state);

private:
    mutable std::mutex mutex_;
    std::uint64_t seed_;
    std::vector<Generator> made_;
};

/// What a scope puts in the place of default generators, for its thread: one of them, or the CPU's and all devices'.
struct GeneratorsOfScope {
    const Generator* one = nullptr;
    DeviceGenerators* devices = nullptr;
    const GeneratorsOfScope* before = nullptr;
};
/// The innermost scope's of this thread; null without one.
const GeneratorsOfScope*& generators_of_scope();
/// The calling thread's CUDA device; 0 where nothing can be asked.
DeviceIndex current_cuda_device();
/// The devices' that this thread draws from where no scope has put one in its place.
DeviceGenerators& device_generators();

} // namespace reel::detail
