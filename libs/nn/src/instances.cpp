// The members of Cloneable for Reel's own layers.
#include <reel/nn.hpp>

namespace reel::nn {
#define REEL_INSTANCE(Name) template class Cloneable<Name##Impl>;
REEL_NN_LAYERS(REEL_INSTANCE)
#undef REEL_INSTANCE
} // namespace reel::nn
