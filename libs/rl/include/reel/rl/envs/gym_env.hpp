// Environments by the names that Gym gave them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/nn/options.hpp>
#include <reel/rl/envs/env_base.hpp>

namespace reel::rl {

struct GymEnvOptions {
    REEL_ARG(std::vector<std::int64_t>, batch_size);
    /// Discrete actions are numbers instead of one-hot rows (EN-5).
    REEL_ARG(bool, categorical_action_encoding) = false;
};

/// "CartPole-v0", "CartPole-v1", "Pendulum-v1", "MountainCar-v0", "MountainCarContinuous-v0" or "Acrobot-v1", with the
/// time limit that Gym registers for it. Error: ValueError that lists the nearest names.
EnvPtr GymEnv(const std::string& name, const GymEnvOptions& options = {});
/// The names that GymEnv knows.
std::vector<std::string> gym_env_names();

} // namespace reel::rl
