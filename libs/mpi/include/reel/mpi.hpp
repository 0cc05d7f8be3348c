// Processes that mpirun has started. Loaded by `distributed::init` where it is asked for; nobody has to name it.
#pragma once

#include <string>

namespace reel::mpi {

/// "Open MPI v4.1.4, ..." as the library tells of itself.
std::string version();

} // namespace reel::mpi
