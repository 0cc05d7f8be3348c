#include <reel/rl/envs/classic_control/mountain_car_continuous.hpp>

#include <algorithm>
#include <cmath>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/rl/specs/bounded.hpp>

#include "envs/classic_control/hill.hpp"
#include "envs/classic_control/uniform.hpp"

namespace reel::rl {

using detail::hill_high, detail::hill_low, detail::hill_max_speed;
namespace {
constexpr double goal_position = 0.45;
constexpr float power = 0.0015f;

/// Advances position and velocity in precision `T`; is the car at its goal?
template <class T> bool drive(double* state, float action, double goal_velocity) {
    T position = T(state[0]), velocity = T(state[1]);
    const float throttle = std::clamp(action, -1.0f, 1.0f);
    velocity += T(throttle * power - float(0.0025 * std::cos(double(T(3) * position))));
    velocity = std::clamp(velocity, T(-hill_max_speed), T(hill_max_speed));
    position = std::clamp(T(position + velocity), T(hill_low), T(hill_high));
    if (position == T(hill_low) && velocity < 0) velocity = 0;
    state[0] = float(position);
    state[1] = float(velocity);
    return position >= T(goal_position) && velocity >= T(goal_velocity);
}

} // namespace

MountainCarContinuous::MountainCarContinuous(MountainCarContinuousOptions options)
    : ClassicControlEnv({"MountainCarContinuous", options.batch_size(), 2,
                         Bounded(reel::tensor({float(hill_low), float(-hill_max_speed)}),
                                 reel::tensor({float(hill_high), float(hill_max_speed)})),
                         Bounded(-1.0, 1.0, {1}), false, options.max_episode_steps()}),
      options_(std::move(options)) {}

void MountainCarContinuous::draw_state(double* state, CPUGeneratorImpl& generator) {
    state[0] = detail::uniform(generator, -0.6, -0.4);
    state[1] = 0;
}
void MountainCarContinuous::observe(const double* state, std::int64_t n, float* observation) const {
    for (std::int64_t i = 0; i < 2 * n; ++i) observation[i] = float(state[i]);
}
void MountainCarContinuous::advance(const StepArrays& a) {
    for (std::int64_t i = 0; i < a.n; ++i) {
        double* const s = a.state + 2 * i;
        // the original computes in its state's precision: float64 from a reset to the first step, then float32
        const bool single = s[0] == double(float(s[0])) && s[1] == double(float(s[1]));
        const bool there = single ? drive<float>(s, a.action[i], options_.goal_velocity())
                                  : drive<double>(s, a.action[i], options_.goal_velocity());
        a.terminated[i] = there;
        a.reward[i] = float((there ? 100.0 : 0.0) - double(a.action[i]) * double(a.action[i]) * 0.1);
    }
}
void MountainCarContinuous::draw(detail::Canvas& canvas, const double* state) const {
    detail::draw_hill(canvas, state[0], goal_position);
}

} // namespace reel::rl
