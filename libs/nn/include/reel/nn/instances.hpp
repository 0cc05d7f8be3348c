// Reel's own layers: what every file would have to compile for each of them is compiled once, in instances.cpp.
// The build lists them from the headers of layers and norms (layers.hpp).
#pragma once

#include <reel/nn.hpp>

namespace reel::nn {
#define REEL_INSTANCE(Name) extern template class Cloneable<Name##Impl>;
REEL_NN_LAYERS(REEL_INSTANCE)
REEL_NN_NORMS(REEL_INSTANCE)
#undef REEL_INSTANCE
} // namespace reel::nn
