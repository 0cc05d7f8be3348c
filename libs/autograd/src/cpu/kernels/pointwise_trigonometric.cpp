// Inner loops of the trigonometric family.
#include "cpu/vec_math.hpp"

#include <reel/autograd/pointwise/trigonometric.hpp>

#include "cpu/pointwise_register.hpp"

namespace reel::cpu::REEL_ISA {

void register_pointwise_trigonometric() { register_unary(pointwise::trigonometric_unary{}); }

} // namespace reel::cpu::REEL_ISA
