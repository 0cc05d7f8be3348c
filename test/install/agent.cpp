// What a user of the agents alone writes: exit status 0 when an episode of random actions ends as it must.
#include <cstdio>

#include <reel/rl.hpp>

int main() {
    const reel::rl::EnvPtr env = reel::rl::GymEnv("CartPole-v1");
    env->set_seed(0);
    const reel::rl::TensorDict episode = env->rollout(500);
    const auto steps = episode.batch_size(0);
    std::printf("%lld steps\n", static_cast<long long>(steps));
    const bool ended = episode[{"next", "done"}].select(0, steps - 1).item<bool>();
    return ended && steps < 500 ? 0 : 1;
}
