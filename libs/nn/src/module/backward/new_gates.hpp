// The two gates of a module call.
#pragma once

#include "module/backward/state.hpp"

namespace reel::nn::detail {

/// N of B-2: runs the full hooks on the gradients of the inputs.
intrusive_ptr<HookGate> new_input_gate(const StatePtr& state);
/// O of B-6: runs the pre-hooks and keeps grad_output for the other gate.
intrusive_ptr<HookGate> new_output_gate(const StatePtr& state);

} // namespace reel::nn::detail
