#include <reel/rl/envs/classic_control/pendulum.hpp>

#include <algorithm>
#include <cmath>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/rl/specs/bounded.hpp>

#include "envs/classic_control/uniform.hpp"
#include "envs/render/canvas.hpp"

namespace reel::rl {
namespace {

constexpr double max_speed = 8.0, dt = 0.05, mass = 1.0, length = 1.0;
constexpr float max_torque = 2.0f;

/// Into [-pi, pi), the sign following the divisor.
double normalized(double angle) {
    const double shifted = angle + M_PI;
    if (shifted >= 0 && shifted < 2 * M_PI) return shifted - M_PI;
    const double turn = std::fmod(shifted, 2 * M_PI);
    return (turn < 0 ? turn + 2 * M_PI : turn) - M_PI;
}
TensorSpec observation_spec() {
    const Tensor high = reel::tensor({1.0f, 1.0f, float(max_speed)});
    return Bounded(high.neg(), high);
}

} // namespace

Pendulum::Pendulum(PendulumOptions options)
    : ClassicControlEnv({"Pendulum", options.batch_size(), 2, rl::observation_spec(),
                         Bounded(-max_torque, max_torque, {1}), false, options.max_episode_steps()}),
      options_(std::move(options)) {}

void Pendulum::draw_state(double* state, CPUGeneratorImpl& generator) {
    state[0] = detail::uniform(generator, -M_PI, M_PI);
    state[1] = detail::uniform(generator, -1.0, 1.0);
}
void Pendulum::observe(const double* state, std::int64_t n, float* observation) const {
    for (std::int64_t i = 0; i < n; ++i) {
        observation[3 * i] = float(std::cos(state[2 * i]));
        observation[3 * i + 1] = float(std::sin(state[2 * i]));
        observation[3 * i + 2] = float(state[2 * i + 1]);
    }
}
void Pendulum::advance(const StepArrays& a) {
    const double g = options_.g();
    for (std::int64_t i = 0; i < a.n; ++i) {
        double &theta = a.state[2 * i], &speed = a.state[2 * i + 1];
        // the torque's own terms in its own precision, as the original's
        const float u = std::clamp(a.action[i], -max_torque, max_torque);
        const double angle = normalized(theta);
        const double cost = angle * angle + 0.1 * (speed * speed) + double(0.001f * (u * u));
        const double pull = 3 * g / (2 * length) * std::sin(theta) + double(float(3.0 / (mass * length * length)) * u);
        speed = std::clamp(speed + pull * dt, -max_speed, max_speed);
        theta += speed * dt;
        a.reward[i] = float(-cost);
        a.terminated[i] = false;
    }
}
void Pendulum::draw(detail::Canvas& canvas, const double* s) const {
    canvas.view({0, 0}, 2.6 * length);
    canvas.line({0, 0}, {-length * std::sin(s[0]), length * std::cos(s[0])}, 0.2, {204, 77, 77});
    canvas.disc({0, 0}, 0.05, {0, 0, 0});
}

} // namespace reel::rl
