// Inner loops of rounding.
#include "cpu/vec_math.hpp"

#include <reel/autograd/pointwise/rounding.hpp>

#include "cpu/pointwise_register.hpp"

namespace reel::cpu::REEL_ISA {

void register_pointwise_rounding() { register_unary(pointwise::rounding_unary{}); }

} // namespace reel::cpu::REEL_ISA
