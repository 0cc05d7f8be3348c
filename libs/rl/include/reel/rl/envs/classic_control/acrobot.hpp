// Two links that hang from a joint.
#pragma once

#include <reel/rl/envs/classic_control/classic_control_env.hpp>

namespace reel::rl {

/// Which of the two published equations of motion.
enum class AcrobotDynamics { Book, Nips };

struct AcrobotOptions {
    REEL_ARG(std::vector<std::int64_t>, batch_size);
    REEL_ARG(std::optional<std::int64_t>, max_episode_steps);
    REEL_ARG(AcrobotDynamics, dynamics) = AcrobotDynamics::Book;
    /// Actions are 0, 1, 2 instead of one-hot rows.
    REEL_ARG(bool, categorical_action_encoding) = false;
};

/// Sutton's acrobot, as Gym's. State: both angles [rad] and angular velocities [rad/s]; observation [cos, sin, cos,
/// sin, velocity, velocity]. Three actions: torques of -1, 0, 1 Nm on the joint between the links; time step 0.2 s by
/// fourth order Runge-Kutta. Reward -1 a step, 0 in the one that terminates: the tip above the height of one link.
class Acrobot : public ClassicControlEnv {
public:
    explicit Acrobot(AcrobotOptions options = {});
    const AcrobotOptions& options() const { return options_; }
    std::pair<std::int64_t, std::int64_t> render_size() const override { return {240, 240}; }

protected:
    void draw_state(double* state, CPUGeneratorImpl& generator) override;
    void advance(const StepArrays& arrays) override;
    void observe(const double* state, std::int64_t n, float* observation) const override;
    void draw(detail::Canvas& canvas, const double* state) const override;

private:
    AcrobotOptions options_;
};

} // namespace reel::rl
