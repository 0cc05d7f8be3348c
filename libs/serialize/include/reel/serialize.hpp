// Umbrella header of reel_serialize for users.
#pragma once

#include <reel/serialize/safetensors.hpp>
