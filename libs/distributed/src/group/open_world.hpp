// Which transport carries a world, and entering and leaving it.
#pragma once

#include <memory>

#include "group/world.hpp"

namespace reel::distributed::detail {

/// Joins by the backend that is asked for, or that the environment speaks of.
std::shared_ptr<World> open_world(Backend backend, const Options& options);
/// What carries operands between devices: nothing for kAuto. ValueError where the backend has no such thing.
OpenDevices open_devices(Backend backend);
/// `here` gets the world and its default group.
void enter(Context& here, std::shared_ptr<World> world, const Options& options);
void exit(Context& here, const std::string& reason, bool failed);

} // namespace reel::distributed::detail
