// Ranks that are threads of one process.
#pragma once

#include <memory>
#include <vector>

#include <reel/distributed/detail/transport.hpp>

namespace reel::distributed::detail {

/// The transports of a world of n threads, one for each; a message is copied into the other's mailbox.
std::vector<std::unique_ptr<Transport>> threads_world(std::int64_t n);

} // namespace reel::distributed::detail
