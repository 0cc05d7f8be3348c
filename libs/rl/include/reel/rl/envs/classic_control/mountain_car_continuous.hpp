// The mountain car with a throttle.
#pragma once

#include <reel/rl/envs/classic_control/classic_control_env.hpp>

namespace reel::rl {

struct MountainCarContinuousOptions {
    REEL_ARG(std::vector<std::int64_t>, batch_size);
    REEL_ARG(std::optional<std::int64_t>, max_episode_steps);
    REEL_ARG(double, goal_velocity) = 0.0;
};

/// As Gym's MountainCarContinuous: action [1] in [-1, 1]; reward -0.1 action^2, and 100 more at the goal (position
/// 0.45), where it terminates. Its state is rounded to float32 after each step, as the original's.
class MountainCarContinuous : public ClassicControlEnv {
public:
    explicit MountainCarContinuous(MountainCarContinuousOptions options = {});
    const MountainCarContinuousOptions& options() const { return options_; }

protected:
    void draw_state(double* state, CPUGeneratorImpl& generator) override;
    void advance(const StepArrays& arrays) override;
    void observe(const double* state, std::int64_t n, float* observation) const override;
    void draw(detail::Canvas& canvas, const double* state) const override;

private:
    MountainCarContinuousOptions options_;
};

} // namespace reel::rl
