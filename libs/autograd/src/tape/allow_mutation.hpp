// Saved tensors that may be modified in place: the scope's own list of what lies where (rule E-80).
#pragma once

#include <reel/autograd/saved_tensor_hooks.hpp>

namespace reel::autograd {

/// Called before `self`'s memory is written in such a scope: what was saved from it moves to memory of its own.
void move_saved_away(KeptForMutation& kept, const Tensor& self);

} // namespace reel::autograd
