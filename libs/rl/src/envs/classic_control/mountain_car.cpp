#include <reel/rl/envs/classic_control/mountain_car.hpp>

#include <algorithm>
#include <cmath>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/rl/specs/bounded.hpp>
#include <reel/rl/specs/categorical.hpp>
#include <reel/rl/specs/one_hot.hpp>

#include "envs/classic_control/hill.hpp"
#include "envs/classic_control/uniform.hpp"

namespace reel::rl {

using detail::hill_high, detail::hill_low, detail::hill_max_speed;
namespace {
constexpr double goal_position = 0.5, force = 0.001, gravity = 0.0025;
}

MountainCar::MountainCar(MountainCarOptions options)
    : ClassicControlEnv({"MountainCar", options.batch_size(), 2,
                         Bounded(reel::tensor({float(hill_low), float(-hill_max_speed)}),
                                 reel::tensor({float(hill_high), float(hill_max_speed)})),
                         options.categorical_action_encoding() ? TensorSpec(Categorical(3))
                                                               : TensorSpec(OneHot(3, std::nullopt, kLong)),
                         options.categorical_action_encoding(), options.max_episode_steps()}),
      options_(std::move(options)) {}

void MountainCar::draw_state(double* state, CPUGeneratorImpl& generator) {
    state[0] = detail::uniform(generator, -0.6, -0.4);
    state[1] = 0;
}
void MountainCar::observe(const double* state, std::int64_t n, float* observation) const {
    for (std::int64_t i = 0; i < 2 * n; ++i) observation[i] = float(state[i]);
}
void MountainCar::advance(const StepArrays& a) {
    for (std::int64_t i = 0; i < a.n; ++i) {
        double &position = a.state[2 * i], &velocity = a.state[2 * i + 1];
        velocity += double(a.choice[i] - 1) * force + std::cos(3 * position) * -gravity;
        velocity = std::clamp(velocity, -hill_max_speed, hill_max_speed);
        position = std::clamp(position + velocity, hill_low, hill_high);
        if (position == hill_low && velocity < 0) velocity = 0;
        a.terminated[i] = position >= goal_position && velocity >= options_.goal_velocity();
        a.reward[i] = -1.0f;
    }
}
void MountainCar::draw(detail::Canvas& canvas, const double* state) const {
    detail::draw_hill(canvas, state[0], goal_position);
}

} // namespace reel::rl
