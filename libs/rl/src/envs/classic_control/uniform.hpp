// Draws of first states.
#pragma once

#include <reel/autograd/random.hpp>

namespace reel::rl::detail {

inline double uniform(CPUGeneratorImpl& generator, double low, double high) {
    return low + (high - low) * generator.uniform_double();
}

} // namespace reel::rl::detail
