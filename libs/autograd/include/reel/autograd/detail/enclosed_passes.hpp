// Backward passes over a part of the tape only: for whoever asks for the gradients of a function by itself.
#pragma once

#include <utility>

namespace reel::detail {

inline constinit thread_local bool passes_are_enclosed = false;

/// While this lives, passes of this thread that `grad` makes end at their inputs: where the history of one input leads
/// to another one, nothing goes on from there; and no hooks run on tensors, which retain nothing: whoever hands the
/// gradients on does that once.
class EnclosedPasses {
public:
    EnclosedPasses() : before_(std::exchange(passes_are_enclosed, true)) {}
    ~EnclosedPasses() { passes_are_enclosed = before_; }
    EnclosedPasses(const EnclosedPasses&) = delete;

private:
    bool before_;
};

} // namespace reel::detail
