// Taking over a saved state in two steps, so that a part that is damaged leaves all parts as they were.
#pragma once

#include <functional>

#include <reel/autograd/value.hpp>

namespace reel::rl {

/// What takes over a state that has been read and found good.
using CommitLoad = std::function<void()>;

} // namespace reel::rl
