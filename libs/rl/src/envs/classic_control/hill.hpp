// The hill that both mountain cars drive on.
#pragma once

#include "envs/render/canvas.hpp"

namespace reel::rl::detail {

inline constexpr double hill_low = -1.2, hill_high = 0.6, hill_max_speed = 0.07;
/// The car at `position` and a flag at `goal`.
void draw_hill(Canvas& canvas, double position, double goal);

} // namespace reel::rl::detail
