// Their namespace among the agents' names.
#pragma once

#include <reel/distributions/distribution.hpp>

namespace reel::rl {

namespace distributions = reel::distributions;

} // namespace reel::rl
