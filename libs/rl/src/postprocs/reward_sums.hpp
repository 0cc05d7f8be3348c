// Discounted sums of rewards along trajectories.
#pragma once

#include <memory>

#include "postprocs/lookahead.hpp"

namespace reel::rl {

/// The sum over k = 0..d of gamma^k reward(t + k), each power converted to the reward's dtype first; sums of float16
/// and bfloat16 are rounded once, those of integers wrap and are int64 (MS-12). The sizes of `reward` begin with those
/// of the done flags. Differentiable any number of times. TypeError for bool.
Tensor window_sums(const Tensor& reward, const std::shared_ptr<const Lookahead>& lookahead, double gamma);

/// The sum over all k up to the trajectory's end of gamma^k reward(t + k). `reward` has the shape of the done flags.
Tensor sums_to_the_end(const Tensor& reward, const std::shared_ptr<const Lookahead>& lookahead, double gamma);

} // namespace reel::rl
