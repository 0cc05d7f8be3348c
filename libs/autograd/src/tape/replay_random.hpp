// Drawing the same random numbers again.
#pragma once

#include <optional>

#include <reel/autograd/detail/default_generators.hpp>

#include "tensor/drawing.hpp"

namespace reel::autograd {

/// Where the default generators are, the CPU's and all devices'.
struct RandomState {
    Tensor cpu;
    reel::detail::DeviceGenerators::State devices;
};
inline RandomState random_state() {
    return {reel::detail::Drawing().generator().get_state(), reel::detail::device_generators().state()};
}
inline void set_random_state(const RandomState& state) {
    reel::detail::Drawing().generator().set_state(state.cpu);
    reel::detail::device_generators().set_state(state.devices);
}

/// The default generators are at `state` while this lives, and then where they were before. Without one: nothing.
class ReplayRandom {
public:
    explicit ReplayRandom(const std::optional<RandomState>& state) {
        if (!state) return;
        before_ = random_state();
        set_random_state(*state);
    }
    ~ReplayRandom() {
        if (before_) set_random_state(*before_);
    }
    ReplayRandom(const ReplayRandom&) = delete;

private:
    std::optional<RandomState> before_;
};

} // namespace reel::autograd
