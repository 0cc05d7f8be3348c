// Loops over vectors for the rules of a program: those that Reel's own rules have. For sources, not for headers.
#pragma once

#include <reel/autograd/pointwise/loop.hpp>

// Sources of one program may be compiled for several instruction sets: each has a namespace of its own.
#if !defined(REEL_ISA)
#if defined(__AVX512F__)
#define REEL_ISA program_v4
#elif defined(__AVX2__)
#define REEL_ISA program_v3
#else
#define REEL_ISA program
#endif
#if !defined(REEL_WITH_SLEEF)
#define REEL_WITHOUT_SLEEF
#endif
#endif
// g++ splits vectors of 64 bytes in halves where -march=native says that the machine prefers 32, at 4 times the cost.
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("prefer-vector-width=512")
#endif
#include <reel/autograd/detail/cpu/rule_loops.hpp>
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace reel::pointwise {

/// Gives each rule loops over vectors for float32, float64, bfloat16 and float16, compiled for the instruction set that
/// the source is compiled for (`-march=...`), which the machine must have. Rules must have a vector form
/// (`vector_form`). Called once, before the rules are used:
///
///     const bool vectorized = pointwise::vectorize<swiglu_op>();
///
/// Until then such a rule has no floating loop. With `REEL_WITH_SLEEF` defined, and SLEEF linked, functions beyond exp,
/// log, tanh, sigmoid, erf, the circular ones and arithmetic run on vectors, too; else number by number.
template <class... Op> bool vectorize() {
    cpu::REEL_ISA::register_rules(op_list<Op...>{});
    return true;
}

} // namespace reel::pointwise
