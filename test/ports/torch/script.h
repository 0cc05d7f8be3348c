// The same for programs with scripts.
#pragma once

#include <reel/script.hpp>
#include <torch/torch.h>
