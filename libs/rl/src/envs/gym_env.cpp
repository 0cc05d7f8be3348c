#include <reel/rl/envs/gym_env.hpp>

#include <memory>

#include <reel/rl/envs/classic_control/acrobot.hpp>
#include <reel/rl/envs/classic_control/cart_pole.hpp>
#include <reel/rl/envs/classic_control/mountain_car.hpp>
#include <reel/rl/envs/classic_control/mountain_car_continuous.hpp>
#include <reel/rl/envs/classic_control/pendulum.hpp>

#include "nearest_names.hpp"

namespace reel::rl {
namespace {

struct Known {
    const char* name;
    EnvPtr (*make)(const GymEnvOptions& options, std::int64_t max_episode_steps);
    std::int64_t max_episode_steps;
};
template <class Env, class Options> EnvPtr discrete(const GymEnvOptions& o, std::int64_t limit) {
    return std::make_shared<Env>(Options()
                                     .batch_size(o.batch_size())
                                     .max_episode_steps(limit)
                                     .categorical_action_encoding(o.categorical_action_encoding()));
}
template <class Env, class Options> EnvPtr continuous(const GymEnvOptions& o, std::int64_t limit) {
    return std::make_shared<Env>(Options().batch_size(o.batch_size()).max_episode_steps(limit));
}
constexpr Known known[] = {
    {"CartPole-v0", discrete<CartPole, CartPoleOptions>, 200},
    {"CartPole-v1", discrete<CartPole, CartPoleOptions>, 500},
    {"Pendulum-v1", continuous<Pendulum, PendulumOptions>, 200},
    {"MountainCar-v0", discrete<MountainCar, MountainCarOptions>, 200},
    {"MountainCarContinuous-v0", continuous<MountainCarContinuous, MountainCarContinuousOptions>, 999},
    {"Acrobot-v1", discrete<Acrobot, AcrobotOptions>, 500},
};

} // namespace

std::vector<std::string> gym_env_names() {
    std::vector<std::string> names;
    for (const Known& k : known) names.emplace_back(k.name);
    return names;
}
EnvPtr GymEnv(const std::string& name, const GymEnvOptions& options) {
    for (const Known& k : known)
        if (name == k.name) return k.make(options, k.max_episode_steps);
    REEL_THROW(ValueError, "GymEnv: no environment '", name, "'", detail::nearest_names_text(name, gym_env_names()));
}

} // namespace reel::rl
