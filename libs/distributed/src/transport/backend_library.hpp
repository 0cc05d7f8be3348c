// Libraries of their own that bring a backend.
#pragma once

#include <reel/distributed/types.hpp>

namespace reel::distributed::detail {

/// Loads libreel_BACKEND.so from beside this library, or from where the system looks, unless the program links it. What
/// it brings it registers by itself; nothing happens where it is not found.
void load_library_of(Backend backend);

} // namespace reel::distributed::detail
