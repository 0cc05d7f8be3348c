// Trying something out without moving the random stream.
#pragma once

#include <mutex>

#include <reel/autograd/random.hpp>

namespace reel::inspect {

/// Puts the default generator back, at its end, where it was. Other threads may draw meanwhile.
class GeneratorRestore {
public:
    GeneratorRestore() : generator_(reel::detail::getDefaultCPUGenerator()) {
        const std::lock_guard lock(generator_.mutex());
        state_ = generator_.get_state();
    }
    ~GeneratorRestore() {
        const std::lock_guard lock(generator_.mutex());
        generator_.set_state(state_);
    }
    GeneratorRestore(const GeneratorRestore&) = delete;

private:
    Generator generator_;
    Tensor state_;
};

} // namespace reel::inspect
