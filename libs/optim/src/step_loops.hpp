// What the kernels of steps, compiled once per instruction set, give to the code that is compiled once.
#pragma once

#include <reel/optim/detail/step_kernel.hpp>

namespace reel::optim {

/// Steps `n` elements of every operand by the rule, the gradient being factor * data[1] + base.
using StepLoop = void (*)(char* const* data, std::int64_t n, const void* rule, double factor, double base);
/// The loops of one rule by dtype.
struct StepLoops {
    StepLoop float32, float64, bfloat16, float16;
    StepLoop of(ScalarType t) const {
        return t == kFloat ? float32 : t == kDouble ? float64 : t == kBFloat16 ? bfloat16 : float16;
    }
};
/// Runs the loop for the operands' dtype over threads.
void run_loops(const StepLoops& loops, const void* rule, const StepOperands& operands);

} // namespace reel::optim
