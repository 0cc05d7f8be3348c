// How ranks of one host come to have memory in common.
#pragma once

#include <memory>
#include <vector>

#include "transport/neighbours.hpp"
#include "transport/socket_io.hpp"

namespace reel::distributed::detail {

/// A collective of the ranks that `links` connect (see `meet`): those that are on this host, as far as the system lets
/// them share memory; null where there are none, or REEL_SHARED_MEMORY is 0 on one side. DistError when another rank
/// does not answer by the deadline.
std::unique_ptr<Neighbours> share_memory(const Place& place, std::vector<tcp::socket>& links, Deadline deadline);

} // namespace reel::distributed::detail
