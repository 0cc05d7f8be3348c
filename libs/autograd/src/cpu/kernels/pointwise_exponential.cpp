// Inner loops of the exponential family.
#include "cpu/vec_math.hpp"

#include <reel/autograd/pointwise/exponential.hpp>

#include "cpu/pointwise_register.hpp"

namespace reel::cpu::REEL_ISA {

void register_pointwise_exponential() { register_unary(pointwise::exponential_unary{}); }

} // namespace reel::cpu::REEL_ISA
