#include <reel/rl/envs/classic_control/acrobot.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/rl/specs/bounded.hpp>
#include <reel/rl/specs/categorical.hpp>
#include <reel/rl/specs/one_hot.hpp>

#include "envs/classic_control/uniform.hpp"
#include "envs/render/canvas.hpp"

namespace reel::rl {
namespace {

using State = std::array<double, 4>; ///< angles, angular velocities
constexpr double dt = 0.2, l1 = 1.0, m1 = 1.0, m2 = 1.0, lc1 = 0.5, lc2 = 0.5, inertia = 1.0, gravity = 9.8;
constexpr double max_speed[] = {4 * M_PI, 9 * M_PI};

State derivative(const State& s, double torque, AcrobotDynamics dynamics) {
    const auto [theta1, theta2, rate1, rate2] = s;
    const double sin2 = std::sin(theta2), cos2 = std::cos(theta2);
    const double d1 = m1 * (lc1 * lc1) + m2 * (l1 * l1 + lc2 * lc2 + 2 * l1 * lc2 * cos2) + inertia + inertia;
    const double d2 = m2 * (lc2 * lc2 + l1 * lc2 * cos2) + inertia;
    const double phi2 = m2 * lc2 * gravity * std::cos(theta1 + theta2 - M_PI / 2.0);
    const double phi1 = -m2 * l1 * lc2 * (rate2 * rate2) * sin2 - 2 * m2 * l1 * lc2 * rate2 * rate1 * sin2 +
                        (m1 * lc1 + m2 * l1) * gravity * std::cos(theta1 - M_PI / 2) + phi2;
    const double coupling = dynamics == AcrobotDynamics::Nips ? 0.0 : m2 * l1 * lc2 * (rate1 * rate1) * sin2;
    const double acc2 = (torque + d2 / d1 * phi1 - coupling - phi2) / (m2 * (lc2 * lc2) + inertia - d2 * d2 / d1);
    const double acc1 = -(d2 * acc2 + phi1) / d1;
    return {rate1, rate2, acc1, acc2};
}
State moved(const State& from, double step, const State& rate) {
    State to;
    for (std::size_t i = 0; i < 4; ++i) to[i] = from[i] + step * rate[i];
    return to;
}
State runge_kutta(const State& s, double torque, AcrobotDynamics dynamics) {
    const State k1 = derivative(s, torque, dynamics);
    const State k2 = derivative(moved(s, dt / 2, k1), torque, dynamics);
    const State k3 = derivative(moved(s, dt / 2, k2), torque, dynamics);
    const State k4 = derivative(moved(s, dt, k3), torque, dynamics);
    State to;
    for (std::size_t i = 0; i < 4; ++i) to[i] = s[i] + dt / 6.0 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    return to;
}
double wrapped(double angle) {
    // (speeds are bounded: a few turns at most, except for states that were set)
    if (std::abs(angle) > 1e3) angle = std::remainder(angle, 2 * M_PI);
    while (angle > M_PI) angle -= 2 * M_PI;
    while (angle < -M_PI) angle += 2 * M_PI;
    return angle;
}
TensorSpec observation_spec() {
    const Tensor high = reel::tensor({1.0f, 1.0f, 1.0f, 1.0f, float(max_speed[0]), float(max_speed[1])});
    return Bounded(high.neg(), high);
}

} // namespace

Acrobot::Acrobot(AcrobotOptions options)
    : ClassicControlEnv({"Acrobot", options.batch_size(), 4, rl::observation_spec(),
                         options.categorical_action_encoding() ? TensorSpec(Categorical(3))
                                                               : TensorSpec(OneHot(3, std::nullopt, kLong)),
                         options.categorical_action_encoding(), options.max_episode_steps()}),
      options_(std::move(options)) {}

void Acrobot::draw_state(double* state, CPUGeneratorImpl& generator) {
    for (int i = 0; i < 4; ++i) state[i] = float(detail::uniform(generator, -0.1, 0.1));
}
void Acrobot::observe(const double* state, std::int64_t n, float* observation) const {
    for (std::int64_t i = 0; i < n; ++i) {
        const double* const s = state + 4 * i;
        const double values[] = {std::cos(s[0]), std::sin(s[0]), std::cos(s[1]), std::sin(s[1]), s[2], s[3]};
        for (int k = 0; k < 6; ++k) observation[6 * i + k] = float(values[k]);
    }
}
void Acrobot::advance(const StepArrays& a) {
    for (std::int64_t i = 0; i < a.n; ++i) {
        double* const s = a.state + 4 * i;
        const State to = runge_kutta({s[0], s[1], s[2], s[3]}, double(a.choice[i] - 1), options_.dynamics());
        for (int k = 0; k < 2; ++k) {
            s[k] = wrapped(to[std::size_t(k)]);
            s[2 + k] = std::clamp(to[std::size_t(2 + k)], -max_speed[k], max_speed[k]);
        }
        a.terminated[i] = -std::cos(s[0]) - std::cos(s[1] + s[0]) > 1.0;
        a.reward[i] = a.terminated[i] ? 0.0f : -1.0f;
    }
}
void Acrobot::draw(detail::Canvas& canvas, const double* s) const {
    canvas.view({0, 0}, 4.4);
    const detail::Point elbow{l1 * std::sin(s[0]), -l1 * std::cos(s[0])};
    const detail::Point tip{elbow.x + std::sin(s[0] + s[1]), elbow.y - std::cos(s[0] + s[1])};
    canvas.line({-2.2, l1}, {2.2, l1}, 0.02, {0, 0, 0});
    canvas.line({0, 0}, elbow, 0.2, {0, 204, 204});
    canvas.line(elbow, tip, 0.2, {0, 204, 204});
    for (const detail::Point& joint : {detail::Point{0, 0}, elbow}) canvas.disc(joint, 0.1, {204, 204, 0});
}

} // namespace reel::rl
