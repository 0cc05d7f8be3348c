// Umbrella header of reel_rl.
#pragma once

#include <reel/rl/envs.hpp>
#include <reel/rl/modules/random_policy.hpp>
#include <reel/rl/nested_key.hpp>
#include <reel/rl/policy.hpp>
#include <reel/rl/specs.hpp>
#include <reel/rl/tensordict.hpp>
