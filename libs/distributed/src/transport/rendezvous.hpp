// How processes that know one address find each other.
#pragma once

#include <vector>

#include "group/environment.hpp"
#include "transport/socket_io.hpp"

namespace reel::distributed::detail {

/// A connection to each other rank, at its number; this rank's own stays closed. Rank 0 listens at the common address,
/// collects where the others listen, and tells all. DistError that names who did not come by the deadline.
std::vector<tcp::socket> meet(boost::asio::io_context& context, const Place& place, std::chrono::milliseconds timeout);

} // namespace reel::distributed::detail
