// Memory of parameters before they are drawn.
#include "modules/parameter_memory.hpp"

#include <reel/autograd/ops/factory/empty.hpp>

namespace reel::nn::detail {

Tensor parameter_memory(IntArrayRef sizes, bool wanted) { return wanted ? reel::empty(sizes) : Tensor(); }

} // namespace reel::nn::detail
