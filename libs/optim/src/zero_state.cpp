// Where running values of a parameter begin.
#include "zero_state.hpp"

#include <reel/autograd/ops/factory/zeros_like.hpp>

namespace reel::optim::detail {

Tensor zero_state(const Tensor& param) { return reel::zeros_like(param); }

} // namespace reel::optim::detail
