#include <reel/rl/replay/sampler.hpp>

namespace reel::rl {

ReplaySampler::~ReplaySampler() = default;

} // namespace reel::rl
