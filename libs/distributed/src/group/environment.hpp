// What a launcher says of this process's place in the world.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <reel/distributed/session.hpp>

namespace reel::distributed::detail {

struct Place {
    std::int64_t rank = 0, size = 1;
    std::string host;
    std::uint16_t port = 0;
};

/// From `options`, else RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT (or MASTER as options take it). Nothing when none
/// of them is given; ValueError that lists what is missing when some are, or cannot be.
std::optional<Place> place_in_world(const Options& options);
/// Was the process started by `mpirun` or `srun --mpi`?
bool under_mpi();

} // namespace reel::distributed::detail
