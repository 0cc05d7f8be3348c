// The momentum that cyclic schedules move: `momentum`, or the first of `betas`.
#pragma once

#include <reel/optim/optimizer.hpp>

namespace reel::optim {

/// Throws ValueError naming the schedule when the optimizer has neither.
void check_has_momentum(const char* schedule, const Optimizer& optimizer);
void set_momentum(OptimizerParamGroup& group, double value);

} // namespace reel::optim
