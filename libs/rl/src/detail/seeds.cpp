#include "detail/seeds.hpp"

#include <reel/autograd/random.hpp>

namespace reel::rl::detail {

std::int64_t drawn_seed() {
    const Generator& generator = reel::detail::getDefaultCPUGenerator();
    const std::lock_guard lock(generator.mutex());
    return std::int64_t(generator.impl().random64() >> 1);
}

} // namespace reel::rl::detail
