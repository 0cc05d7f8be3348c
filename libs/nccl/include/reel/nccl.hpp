// Collectives between devices by NCCL. Loaded by `distributed::init` where it is asked for; nobody has to name it.
#pragma once

#include <string>

namespace reel::nccl {

/// "NCCL 2.27.3" as the library tells of itself. Error where it is not found, which says where it was looked for.
std::string version();

} // namespace reel::nccl
