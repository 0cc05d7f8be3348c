// A pendulum to be swung up.
#pragma once

#include <reel/rl/envs/classic_control/classic_control_env.hpp>

namespace reel::rl {

struct PendulumOptions {
    REEL_ARG(std::vector<std::int64_t>, batch_size);
    REEL_ARG(std::optional<std::int64_t>, max_episode_steps);
    REEL_ARG(double, g) = 10.0; ///< [m/s^2]
};

/// A rod of 1 kg and 1 m on a motor of at most 2 Nm, as Gym's Pendulum. State: angle from upright [rad], angular
/// velocity [rad/s, at most 8]; observation [cos, sin, velocity]; action: torque [1] in [-2, 2]; time step 0.05 s. The
/// reward is -(angle^2 + 0.1 velocity^2 + 0.001 torque^2), the angle within [-pi, pi), of the state before the step.
/// Never terminated.
class Pendulum : public ClassicControlEnv {
public:
    explicit Pendulum(PendulumOptions options = {});
    const PendulumOptions& options() const { return options_; }
    std::pair<std::int64_t, std::int64_t> render_size() const override { return {240, 240}; }

protected:
    void draw_state(double* state, CPUGeneratorImpl& generator) override;
    void advance(const StepArrays& arrays) override;
    void observe(const double* state, std::int64_t n, float* observation) const override;
    void draw(detail::Canvas& canvas, const double* state) const override;

private:
    PendulumOptions options_;
};

} // namespace reel::rl
