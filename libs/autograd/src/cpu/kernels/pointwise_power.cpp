// Inner loops of powers.
#include "cpu/vec_math.hpp"

#include <reel/autograd/pointwise/power.hpp>

#include "cpu/pointwise_register.hpp"

namespace reel::cpu::REEL_ISA {

void register_pointwise_power() { register_binary(pointwise::power_binary{}); }

} // namespace reel::cpu::REEL_ISA
