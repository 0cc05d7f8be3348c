// Umbrella header of reel_serialize for users.
#pragma once

#include <reel/serialize/checkpoint.hpp>
#include <reel/serialize/safetensors.hpp>
