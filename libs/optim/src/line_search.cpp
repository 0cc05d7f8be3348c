#include "line_search.hpp"

#include <algorithm>
#include <cmath>

namespace reel::optim {

namespace {
/// The minimum of the cubic through two points with slopes, kept between the bounds.
double cubic_minimum(const LinePoint& a, const LinePoint& b, double low, double high) {
    const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t), square = d1 * d1 - a.slope * b.slope;
    if (!(square >= 0)) return (low + high) / 2;
    const double d2 = std::sqrt(square);
    const double at = a.t <= b.t ? b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
                                 : a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2));
    return std::min(std::max(at, low), high);
}
constexpr double c1 = 1e-4, c2 = 0.9;
constexpr int most_tries = 25;
} // namespace

LinePoint strong_wolfe(const std::function<LinePoint(double)>& evaluate, const LinePoint& start, double first,
                       double largest_direction, double tolerance_change, std::int64_t& evaluations) {
    const auto at = [&](double t) { return ++evaluations, evaluate(t); };
    const auto too_high = [&](const LinePoint& p) { return p.loss > start.loss + c1 * p.t * start.slope; };
    const auto flat = [&](const LinePoint& p) { return std::abs(p.slope) <= -c2 * start.slope; };
    LinePoint previous = start, now = at(first), bracket[2];
    int tries = 0;
    bool bracketed = false;
    for (; tries < most_tries; ++tries) {
        if (too_high(now) || (tries > 1 && now.loss >= previous.loss)) {
            bracketed = true;
            break;
        }
        if (flat(now)) return now;
        if (now.slope >= 0) {
            bracketed = true;
            break;
        }
        const double next = cubic_minimum(previous, now, now.t + 0.01 * (now.t - previous.t), now.t * 10);
        previous = now;
        now = at(next);
    }
    bracket[0] = bracketed ? previous : start;
    bracket[1] = now;
    int low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
    bool stalled = false;
    while (tries < most_tries) {
        if (std::abs(bracket[1].t - bracket[0].t) * largest_direction < tolerance_change) break;
        const double left = std::min(bracket[0].t, bracket[1].t), right = std::max(bracket[0].t, bracket[1].t);
        double t = cubic_minimum(bracket[0], bracket[1], left, right);
        const double margin = 0.1 * (right - left);
        if (std::min(right - t, t - left) < margin) {
            if (stalled || t >= right || t <= left) {
                t = std::abs(t - right) < std::abs(t - left) ? right - margin : left + margin;
                stalled = false;
            } else stalled = true;
        } else stalled = false;
        now = at(t);
        ++tries;
        const int high = 1 - low;
        if (too_high(now) || now.loss >= bracket[low].loss) {
            bracket[high] = now;
            low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
        } else {
            const bool done = flat(now);
            if (!done && now.slope * (bracket[high].t - bracket[low].t) >= 0) bracket[high] = bracket[low];
            bracket[low] = now;
            if (done) break;
        }
    }
    return bracket[low];
}

} // namespace reel::optim
