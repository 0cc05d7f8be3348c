// Watching a policy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/rl/envs/env_base.hpp>

namespace agents {

/// The return of one episode of each environment of the batch `env`, [n], from a fresh start; of `max_steps` at most.
/// Nothing is recorded for gradients.
std::vector<double> episode_returns(reel::rl::EnvBase& env, const reel::rl::Policy& policy, std::int64_t max_steps);
double mean_of(const std::vector<double>& values);

/// Some pictures of one episode.
struct Film {
    std::vector<reel::Tensor> frames;  ///< uint8 [H, W, 3]
    std::vector<std::string> captions; ///< "step 20"
    std::int64_t steps = 0;
};
/// `count` pictures at equal distances of an episode of `env`, a single one.
Film film_of(reel::rl::EnvBase& env, const reel::rl::Policy& policy, std::int64_t max_steps, std::size_t count);

} // namespace agents
