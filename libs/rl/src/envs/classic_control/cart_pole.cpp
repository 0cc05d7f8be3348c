#include <reel/rl/envs/classic_control/cart_pole.hpp>

#include <cmath>
#include <limits>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/rl/specs/bounded.hpp>
#include <reel/rl/specs/categorical.hpp>
#include <reel/rl/specs/one_hot.hpp>

#include "envs/classic_control/uniform.hpp"
#include "envs/render/canvas.hpp"

namespace reel::rl {
namespace {

constexpr double gravity = 9.8, cart_mass = 1.0, pole_mass = 0.1, total_mass = pole_mass + cart_mass;
constexpr double half_length = 0.5, pole_moment = pole_mass * half_length, force_size = 10.0, tau = 0.02;
constexpr double angle_limit = 12 * 2 * M_PI / 360, position_limit = 2.4;

TensorSpec observation_spec() {
    constexpr float inf = std::numeric_limits<float>::infinity();
    const Tensor high = reel::tensor({float(position_limit * 2), inf, float(angle_limit * 2), inf});
    return Bounded(high.neg(), high);
}

} // namespace

CartPole::CartPole(CartPoleOptions options)
    : ClassicControlEnv({"CartPole", options.batch_size(), 4, rl::observation_spec(),
                         options.categorical_action_encoding() ? TensorSpec(Categorical(2))
                                                               : TensorSpec(OneHot(2, std::nullopt, kLong)),
                         options.categorical_action_encoding(), options.max_episode_steps()}),
      options_(std::move(options)), fallen_(std::size_t(numel()), 0) {}

void CartPole::draw_state(double* state, CPUGeneratorImpl& generator) {
    for (int i = 0; i < 4; ++i) state[i] = detail::uniform(generator, -0.05, 0.05);
}
void CartPole::observe(const double* state, std::int64_t n, float* observation) const {
    for (std::int64_t i = 0; i < 4 * n; ++i) observation[i] = float(state[i]);
}

void CartPole::advance(const StepArrays& a) {
    const bool euler = options_.kinematics_integrator() == KinematicsIntegrator::Euler;
    const bool sutton = options_.sutton_barto_reward();
    std::int64_t late = 0, first_late = 0;
    for (std::int64_t i = 0; i < a.n; ++i) {
        double* const s = a.state + 4 * i;
        double x = s[0], x_dot = s[1], theta = s[2], theta_dot = s[3];
        const double force = a.choice[i] == 1 ? force_size : -force_size;
        const double c = std::cos(theta), sn = std::sin(theta);
        const double temp = (force + pole_moment * (theta_dot * theta_dot) * sn) / total_mass;
        const double theta_acc =
            (gravity * sn - c * temp) / (half_length * (4.0 / 3.0 - pole_mass * (c * c) / total_mass));
        const double x_acc = temp - pole_moment * theta_acc * c / total_mass;
        if (euler) {
            x += tau * x_dot;
            x_dot += tau * x_acc;
            theta += tau * theta_dot;
            theta_dot += tau * theta_acc;
        } else {
            x_dot += tau * x_acc;
            x += tau * x_dot;
            theta_dot += tau * theta_acc;
            theta += tau * theta_dot;
        }
        s[0] = x, s[1] = x_dot, s[2] = theta, s[3] = theta_dot;
        // written so that a state that is no number has ended, too
        const bool out = !(std::abs(x) <= position_limit && std::abs(theta) <= angle_limit);
        a.terminated[i] = out;
        std::uint8_t& fallen = fallen_[std::size_t(i)];
        if (!out) {
            a.reward[i] = sutton ? 0.0f : 1.0f;
            continue;
        }
        a.reward[i] = sutton ? -1.0f : fallen ? 0.0f : 1.0f;
        if (fallen == 1 && late++ == 0) first_late = i;
        fallen = fallen ? 2 : 1;
    }
    if (late)
        REEL_WARN("CartPole.step: ", late, late == 1 ? " environment" : " environments", " (", first_late,
                  late == 1 ? "" : ", ...",
                  ") had terminated before this step, which is of no meaning; reset where done is set");
}

void CartPole::do_state_dict(TensorDict& state) const {
    ClassicControlEnv::do_state_dict(state);
    state.set("fallen", reel::tensor(fallen_, TensorOptions(kByte)));
}
void CartPole::do_load_state_dict(const TensorDict& state) {
    const Tensor fallen = state["fallen"].contiguous();
    REEL_CHECK(fallen.scalar_type() == kByte && fallen.sizes().equals({numel()}),
               "CartPole.load_state_dict: expected 'fallen' of sizes [", numel(), "] and dtype uint8, got ",
               fallen.sizes(), " and ", dtype_name(fallen.scalar_type()));
    ClassicControlEnv::do_load_state_dict(state);
    std::copy_n(fallen.data_ptr<std::uint8_t>(), fallen_.size(), fallen_.begin());
}

void CartPole::draw(detail::Canvas& canvas, const double* s) const {
    canvas.view({0, 0.6}, 2 * position_limit);
    const double x = s[0], top = 0.12, w = 0.2;
    canvas.line({-position_limit, 0}, {position_limit, 0}, 0.01, {0, 0, 0});
    canvas.polygon({{x - w, -top}, {x + w, -top}, {x + w, top}, {x - w, top}}, {30, 30, 36});
    const double length = 2 * half_length;
    canvas.line({x, top / 2}, {x + length * std::sin(s[2]), top / 2 + length * std::cos(s[2])}, 0.08, {202, 152, 101});
    canvas.disc({x, top / 2}, 0.04, {129, 132, 203});
}

} // namespace reel::rl
