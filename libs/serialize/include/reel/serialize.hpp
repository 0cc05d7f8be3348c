// Umbrella header of reel_serialize for users.
#pragma once

#include <reel/serialize/npz.hpp>
#include <reel/serialize/run_checkpoint.hpp>
#include <reel/serialize/safetensors.hpp>
#include <reel/serialize/save_load.hpp>
