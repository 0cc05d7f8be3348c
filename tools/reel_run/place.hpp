// Where in a larger job this reel-run stands, and where its rank 0 listens.
#pragma once

#include <string>

#include "options.hpp"

namespace reel_run {

/// One of `tasks` that srun or mpirun started, or the only one.
struct Place {
    int task = 0, tasks = 1;
    std::string launcher; ///< "Slurm", "OpenMPI", or empty
    std::string host = "127.0.0.1";
    int port = 0; ///< of the first attempt, the next ones follow; 0: any that is free, each time
};
/// From SLURM_PROCID, SLURM_NTASKS, ... or OMPI_COMM_WORLD_RANK, ...; std::runtime_error where these are set by half,
/// and for a `--master` that is none.
Place find_place(const Options& options);
/// Rank 0's port of the given attempt.
int port_of(const Place& place, int attempt);
/// The first host of a Slurm list: `node[03-07,9],other` begins with node03.
std::string first_host(const std::string& list);

} // namespace reel_run
