// What chooses actions.
#pragma once

#include <functional>

#include <reel/rl/tensordict.hpp>

namespace reel::rl {

/// Reads its inputs in the dictionary of a step, writes "action" (and what else it has to say) and returns it.
using Policy = std::function<TensorDict(TensorDict)>;

} // namespace reel::rl
