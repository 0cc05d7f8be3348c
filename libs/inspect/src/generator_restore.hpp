// Trying something out without moving the random stream.
#pragma once

#include <mutex>

#include <reel/autograd/detail/default_generators.hpp>
#include <reel/autograd/random.hpp>

namespace reel::inspect {

/// Puts the default generators, the CPU's and the devices', back, at its end, where they were. Other threads may draw
/// meanwhile.
class GeneratorRestore {
public:
    GeneratorRestore()
        : generator_(reel::detail::getDefaultCPUGenerator()), devices_(reel::detail::device_generators().state()) {
        const std::lock_guard lock(generator_.mutex());
        state_ = generator_.get_state();
    }
    ~GeneratorRestore() {
        const std::lock_guard lock(generator_.mutex());
        generator_.set_state(state_);
        reel::detail::device_generators().set_state(devices_);
    }
    GeneratorRestore(const GeneratorRestore&) = delete;

private:
    Generator generator_;
    Tensor state_;
    reel::detail::DeviceGenerators::State devices_;
};

} // namespace reel::inspect
