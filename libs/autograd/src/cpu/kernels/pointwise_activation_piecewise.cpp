// Inner loops of the activations that are put together from pieces.
#include "cpu/vec_math.hpp"

#include <reel/autograd/pointwise/activation.hpp>

#include "cpu/pointwise_register.hpp"

namespace reel::cpu::REEL_ISA {

void register_pointwise_activation_piecewise() { register_unary(pointwise::activation_piecewise{}); }

} // namespace reel::cpu::REEL_ISA
