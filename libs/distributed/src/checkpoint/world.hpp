// Who saves and loads together.
#pragma once

#include <cstdint>

#include <reel/distributed/checkpoint.hpp>

namespace reel::distributed::checkpoint {

struct World {
    explicit World(const Options& options);
    ProcessGroup group; ///< null for a process alone
    std::int64_t rank, size;
};

} // namespace reel::distributed::checkpoint
