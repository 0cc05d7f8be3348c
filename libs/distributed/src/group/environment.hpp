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
/// of them is given, or an address alone under MPI, which does not need it; ValueError that lists what is missing when
/// some are, or cannot be.
std::optional<Place> place_in_world(const Options& options);
/// ValueError where srun has started several processes without saying in our words who is who: each would train alone,
/// and write over what the others save.
void check_not_alone_in_a_crowd();
/// Was the process started by `mpirun` or `srun --mpi`?
bool under_mpi();

} // namespace reel::distributed::detail
