// What the kernels of steps, compiled once per instruction set, give to the code that is compiled once.
#pragma once

#include <reel/optim/detail/step_kernel.hpp>

namespace reel::optim {

/// Steps `n` elements of every operand by the rule.
using StepLoop = void (*)(char* const* data, std::int64_t n, const void* rule);
/// Rows of a gradient that is the outer product of two vectors.
struct OuterRows {
    const char *left, *right;
    std::int64_t rows, columns;
    double base;
};
/// Steps that many rows of every operand but the gradient.
using OuterStepLoop = void (*)(char* const* data, const OuterRows& gradient, const void* rule);
/// The loops of one rule by dtype.
struct StepLoops {
    StepLoop float32, float64, bfloat16, float16;
    OuterStepLoop outer_float32, outer_float64;
    StepLoop of(ScalarType t) const {
        return t == kFloat ? float32 : t == kDouble ? float64 : t == kBFloat16 ? bfloat16 : float16;
    }
};
/// Runs the loop for the operands' dtype over threads.
void run_loops(const StepLoops& loops, const void* rule, const StepOperands& operands);

} // namespace reel::optim
