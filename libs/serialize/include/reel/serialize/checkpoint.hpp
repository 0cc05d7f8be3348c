// The name that <reel/serialize/run_checkpoint.hpp> had before <reel/autograd/checkpoint.hpp>, which is about
// recomputing.
#pragma once

#include <reel/serialize/run_checkpoint.hpp>
