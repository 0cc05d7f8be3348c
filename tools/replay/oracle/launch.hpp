// Starting this program once more for each rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <reel/distributed/types.hpp>

namespace replay {

/// Where `backend` needs processes and no launcher has started this one: starts `ranks` of them with the same arguments
/// and waits. The exit status, or nothing where this process is a rank itself.
std::optional<int> launch(std::int64_t ranks, reel::distributed::Backend backend, char** argv);

/// A free port of this machine.
int free_port();

} // namespace replay
