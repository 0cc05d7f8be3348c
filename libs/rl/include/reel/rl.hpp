// Umbrella header of reel_rl.
#pragma once

#include <reel/rl/nested_key.hpp>
#include <reel/rl/replay/transform.hpp>
#include <reel/rl/tensordict.hpp>
