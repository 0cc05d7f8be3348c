// Templates that every user of modules needs, compiled once: the members of Cloneable for Reel's own layers,
// dictionaries of tensors and modules.
#include <reel/nn.hpp>

namespace reel::nn {
#define REEL_INSTANCE(Name) template class Cloneable<Name##Impl>;
REEL_NN_LAYERS(REEL_INSTANCE)
REEL_NN_NORMS(REEL_INSTANCE)
#undef REEL_INSTANCE
} // namespace reel::nn

namespace reel {
template class OrderedDict<std::string, Tensor>;
template class OrderedDict<std::string, nn::ModulePtr>;
} // namespace reel
