// How far each step of a batch of trajectories looks ahead.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::rl {

/// Steps lie as [rows, length, lanes]: the dimensions before time, time, and flags of their own behind it.
struct StepLayout {
    std::int64_t rows, length, lanes;
    StepLayout(IntArrayRef sizes, std::int64_t time_dim);
    std::int64_t steps() const { return rows * length * lanes; }
};

/// What follows from the done flags (MS-10, MS-11).
struct Lookahead {
    /// `done`: any dtype, non-zero where a trajectory ends. `reach`: the most steps that are looked ahead.
    Lookahead(const Tensor& done, std::int64_t time_dim, std::int64_t reach);

    StepLayout layout;
    std::int64_t reach;
    std::vector<std::int64_t> sizes; ///< of `done`
    Tensor done;                     ///< bool, contiguous, on the CPU
    Tensor steps;                    ///< int64: d + 1
    Tensor source;                   ///< int64: the place of step t + d among all steps

    /// gamma^(d + 1), in the default dtype.
    Tensor discount(double gamma) const;
    /// d > 0
    Tensor nonterminal() const;
    /// `leaf` with each step's rows taken from t + d. Its sizes begin with `sizes`. Differentiable.
    Tensor move(const Tensor& leaf) const;
};

} // namespace reel::rl
