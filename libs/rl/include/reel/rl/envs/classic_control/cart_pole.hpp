// A pole on a cart.
#pragma once

#include <reel/rl/envs/classic_control/classic_control_env.hpp>

namespace reel::rl {

/// How the rates enter the positions.
enum class KinematicsIntegrator {
    Euler,             ///< positions advance by the old rates
    SemiImplicitEuler, ///< rates first, positions advance by the new ones
};

struct CartPoleOptions {
    REEL_ARG(std::vector<std::int64_t>, batch_size);
    /// Truncated at this step; none: never.
    REEL_ARG(std::optional<std::int64_t>, max_episode_steps);
    /// Rewards of 0 a step and -1 at the end instead of 1 a step.
    REEL_ARG(bool, sutton_barto_reward) = false;
    REEL_ARG(KinematicsIntegrator, kinematics_integrator) = KinematicsIntegrator::Euler;
    /// Actions are 0 and 1 instead of one-hot rows (EN-5).
    REEL_ARG(bool, categorical_action_encoding) = false;
};

/// Barto, Sutton and Anderson's cart (EN-3). State and observation: position [m], velocity [m/s], angle [rad], angular
/// velocity [rad/s]. Two actions: 10 N to the left, to the right. Terminated beyond 2.4 m or 12 degrees.
class CartPole : public ClassicControlEnv {
public:
    explicit CartPole(CartPoleOptions options = {});
    const CartPoleOptions& options() const { return options_; }

protected:
    void draw_state(double* state, CPUGeneratorImpl& generator) override;
    void advance(const StepArrays& arrays) override;
    void observe(const double* state, std::int64_t n, float* observation) const override;
    void forget(std::int64_t i) override { fallen_[std::size_t(i)] = 0; }
    void draw(detail::Canvas& canvas, const double* state) const override;
    void do_state_dict(TensorDict& state) const override;
    void do_load_state_dict(const TensorDict& state) override;

private:
    CartPoleOptions options_;
    std::vector<std::uint8_t> fallen_; ///< 1 since the end, 2 once a step after it has been warned of
};

} // namespace reel::rl
