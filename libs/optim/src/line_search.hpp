// A step length that satisfies the strong Wolfe conditions.
#pragma once

#include <functional>

#include <reel/autograd/tensor.hpp>

namespace reel::optim {

/// Value and gradient at a step length.
struct LinePoint {
    double t = 0, loss = 0, slope = 0; ///< slope: the gradient along the direction
    Tensor gradient;
};
/// `evaluate(t)` gives the point at length t; `start` is the one at 0. Adds to `evaluations`.
LinePoint strong_wolfe(const std::function<LinePoint(double)>& evaluate, const LinePoint& start, double first,
                       double largest_direction, double tolerance_change, std::int64_t& evaluations);

} // namespace reel::optim
