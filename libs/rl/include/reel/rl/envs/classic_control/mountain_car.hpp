// A car that is too weak for its hill.
#pragma once

#include <reel/rl/envs/classic_control/classic_control_env.hpp>

namespace reel::rl {

struct MountainCarOptions {
    REEL_ARG(std::vector<std::int64_t>, batch_size);
    REEL_ARG(std::optional<std::int64_t>, max_episode_steps);
    /// Velocity that the goal asks for.
    REEL_ARG(double, goal_velocity) = 0.0;
    /// Actions are 0, 1, 2 instead of one-hot rows.
    REEL_ARG(bool, categorical_action_encoding) = false;
};

/// Moore's mountain car, as Gym's MountainCar. State and observation: position in [-1.2, 0.6], velocity in [-0.07,
/// 0.07]. Three actions: push left, none, right. Reward -1 a step; terminated at position 0.5.
class MountainCar : public ClassicControlEnv {
public:
    explicit MountainCar(MountainCarOptions options = {});
    const MountainCarOptions& options() const { return options_; }

protected:
    void draw_state(double* state, CPUGeneratorImpl& generator) override;
    void advance(const StepArrays& arrays) override;
    void observe(const double* state, std::int64_t n, float* observation) const override;
    void draw(detail::Canvas& canvas, const double* state) const override;

private:
    MountainCarOptions options_;
};

} // namespace reel::rl
