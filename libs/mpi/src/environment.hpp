// MPI as long as the process lives: begun once, ended once.
#pragma once

#include <mutex>

#include <boost/mpi/communicator.hpp>

namespace reel::mpi {

/// Begins MPI unless the program has, and returns all processes. Errors return, as exceptions.
boost::mpi::communicator world();
/// A process was lost: MPI must not wait for it when this one ends.
void give_up() noexcept;
/// Held around every call of MPI: one thread at a time.
std::mutex& turn();

} // namespace reel::mpi
