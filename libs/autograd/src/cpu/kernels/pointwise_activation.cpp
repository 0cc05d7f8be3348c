// Inner loops of the activation family.
#include "cpu/normal_cdf.hpp"

#include <reel/autograd/pointwise/activation.hpp>

#include "cpu/pointwise_register.hpp"

namespace reel::cpu::REEL_ISA {

void register_pointwise_activation() { register_unary(pointwise::activation_unary{}); }

} // namespace reel::cpu::REEL_ISA
