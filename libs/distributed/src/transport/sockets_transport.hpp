// Ranks that are processes, each connected to each over TCP.
#pragma once

#include <memory>

#include <reel/distributed/detail/transport.hpp>

#include "group/environment.hpp"

namespace reel::distributed::detail {

/// Meets the others at the address of rank 0. DistError that names those who did not come in time.
std::unique_ptr<Transport> join_sockets(const Place& place, const Options& options);

} // namespace reel::distributed::detail
