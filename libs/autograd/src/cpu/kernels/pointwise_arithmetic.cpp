// Inner loops of the arithmetic family.
#include "cpu/vec_math.hpp"

#include <reel/autograd/pointwise/arithmetic.hpp>

#include "cpu/pointwise_register.hpp"

namespace reel::cpu::REEL_ISA {

void register_pointwise_arithmetic() {
    register_unary(pointwise::arithmetic_unary{});
    register_binary(pointwise::arithmetic_binary{});
}

} // namespace reel::cpu::REEL_ISA
