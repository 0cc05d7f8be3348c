// Drawing the same random numbers again.
#pragma once

#include <reel/autograd/random.hpp>

namespace reel::autograd {

/// The default generator is at `state` while this lives, and then where it was before. An undefined state: nothing.
class ReplayRandom {
public:
    explicit ReplayRandom(const Tensor& state) {
        if (!state.defined()) return;
        Generator generator = reel::detail::getDefaultCPUGenerator();
        before_ = generator.get_state();
        generator.set_state(state);
    }
    ~ReplayRandom() {
        if (before_.defined()) Generator(reel::detail::getDefaultCPUGenerator()).set_state(before_);
    }
    ReplayRandom(const ReplayRandom&) = delete;

private:
    Tensor before_;
};

} // namespace reel::autograd
