#include "envs/classic_control/hill.hpp"

#include <cmath>

namespace reel::rl::detail {

void draw_hill(Canvas& canvas, double position, double goal) {
    const auto height = [](double x) { return std::sin(3 * x) * 0.45 + 0.55; };
    canvas.view({(hill_low + hill_high) / 2, 0.6}, hill_high - hill_low);
    constexpr int pieces = 60;
    for (int i = 0; i < pieces; ++i) {
        const double a = hill_low + (hill_high - hill_low) * i / pieces;
        const double b = hill_low + (hill_high - hill_low) * (i + 1) / pieces;
        canvas.line({a, height(a)}, {b, height(b)}, 0.012, {0, 0, 0});
    }
    const double top = height(goal) + 0.15;
    canvas.line({goal, height(goal)}, {goal, top}, 0.01, {0, 0, 0});
    canvas.polygon({{goal, top}, {goal, top - 0.05}, {goal + 0.07, top - 0.025}}, {204, 204, 0});

    const double slope = std::atan(3 * 0.45 * std::cos(3 * position)), c = std::cos(slope), s = std::sin(slope);
    const auto at = [&](double along, double up) {
        return Point{position + along * c - up * s, height(position) + along * s + up * c};
    };
    canvas.polygon({at(-0.06, 0.03), at(0.06, 0.03), at(0.06, 0.09), at(-0.06, 0.09)}, {0, 0, 0});
    for (const double wheel : {-0.035, 0.035}) canvas.disc(at(wheel, 0.03), 0.024, {128, 128, 128});
}

} // namespace reel::rl::detail
