// All that a program written for libtorch needs to be one for Reel.
#pragma once

#include <reel/reel.hpp>

namespace torch = reel;
#define TORCH_MODULE(Name) REEL_MODULE(Name)
