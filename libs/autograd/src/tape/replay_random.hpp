// Drawing the same random numbers again.
#pragma once

#include "tensor/drawing.hpp"

namespace reel::autograd {

/// Where the default generator is.
inline Tensor random_state() { return reel::detail::Drawing().generator().get_state(); }

/// The default generator is at `state` while this lives, and then where it was before. An undefined state: nothing.
class ReplayRandom {
public:
    explicit ReplayRandom(const Tensor& state) {
        if (!state.defined()) return;
        const reel::detail::Drawing drawing;
        before_ = drawing.generator().get_state();
        drawing.generator().set_state(state);
    }
    ~ReplayRandom() {
        if (before_.defined()) reel::detail::Drawing().generator().set_state(before_);
    }
    ReplayRandom(const ReplayRandom&) = delete;

private:
    Tensor before_;
};

} // namespace reel::autograd
